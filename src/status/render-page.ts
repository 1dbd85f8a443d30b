/** Fills `{{name}}` marks of a template with texts; nothing in a text is ever markup. */
export function renderPage(template: string, texts: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_mark, name: string) => escapeMarkup(texts[name] ?? ''));
}

function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
