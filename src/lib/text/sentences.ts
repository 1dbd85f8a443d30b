/** A first word that is a name, a path, a key or a value: it keeps its case. So does a file's name of several words. */
const nameFirst = /^(?:ingestd\b|\S*[./\\:_"“=({[\d]|\S*\p{Ll}\p{Lu}|[^:]*(?:\.json:|: its \.))/u;

/** A text as a sentence: a capital at its start, unless a name stands there, and one mark at its end; of nothing nothing. */
export function sentence(text: string): string {
  const body = text.trim().replace(/\.+$/, '');
  if (body === '') return '';
  const start = nameFirst.test(body) ? body : capitalized(body);
  return /[?!…]$/.test(body) ? start : `${start}.`;
}

/** With a capital at its start. */
export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Texts one after the other, each ended by one mark; the last has none of its own. What was said already is left out. */
export function sentences(parts: readonly string[]): string {
  const said: string[] = [];
  for (const part of parts) {
    const text = part.trim().replace(/\.+$/, '');
    if (text !== '' && !said.some((one) => one.toLowerCase().includes(text.toLowerCase()))) said.push(text);
  }
  return said
    .map((text, index) => (index === said.length - 1 || /[?!…]$/.test(text) ? text : `${text}.`))
    .join(' ');
}
