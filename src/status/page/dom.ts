import { numberWords } from '../../lib/text/amounts.ts';

/** A piece of the page and the way to show a newer state in it. */
export interface Part<T> {
  readonly node: Element;
  readonly show: (value: T) => void;
}

/** A part that shows the same as long as it is there. */
export function fixed(node: Element): Part<unknown> {
  return { node, show: () => undefined };
}

type Attributes = Readonly<Record<string, string>>;

/** Creates an element. Texts become text and never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Creates an element of a picture. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Node[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** The element of the page that has this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** Writes a text only where it differs, so that selections and screen readers are left in peace. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Shows an element with a text, or hides it without one. */
export function showTextIf(isShown: boolean, node: HTMLElement, text: string): void {
  node.hidden = !isShown;
  setText(node, isShown ? text : '');
}

/** Says how many of a list are shown, where it is not all of them. */
export function showCut(id: string, listed: number, total: number): void {
  const words = `The first ${numberWords(listed)} of ${numberWords(total)} are listed.`;
  showTextIf(total > listed, byId(id), words);
}

/** Sets an attribute only where it differs. */
export function setAttribute(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** A button that does one thing; while it is doing it, it cannot be pressed again. */
export function button(
  label: string,
  attributes: Attributes,
  act: () => Promise<void> | void,
): HTMLButtonElement {
  const node = el('button', { type: 'button', ...attributes }, label);
  node.addEventListener('click', () => {
    if (node.getAttribute('aria-disabled') === 'true') return;
    // Not `disabled`: that would throw the focus away.
    node.setAttribute('aria-disabled', 'true');
    void Promise.resolve(act()).finally(() => node.removeAttribute('aria-disabled'));
  });
  return node;
}

/**
 * Shows a list in `container`, one part for each key. Parts stay as long as their key does, so that focus, open
 * details and selections survive, and nothing that is gone is kept.
 */
export function createList<T>(
  container: Element,
  keyOf: (item: T) => string,
  create: (item: T) => Part<T>,
): (items: readonly T[]) => void {
  const parts = new Map<string, Part<T>>();
  return (items) => {
    const wanted = new Map(items.map((item) => [keyOf(item), item]));
    for (const [key, part] of parts) {
      if (wanted.has(key)) continue;
      part.node.remove();
      parts.delete(key);
    }
    let place = container.firstChild;
    for (const [key, item] of wanted) {
      let part = parts.get(key);
      if (part === undefined) {
        part = create(item);
        parts.set(key, part);
      }
      part.show(item);
      if (part.node === place) place = place.nextSibling;
      else container.insertBefore(part.node, place);
    }
  };
}
