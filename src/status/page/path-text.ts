import { printable } from '../../core/printable.ts';
import { el } from './dom.ts';

/** A document's place: the folder faint, the path plain, nothing in either able to turn the text around it. */
export function pathText(folder: string, path: string): HTMLElement {
  return el(
    'bdi',
    { class: 'path', title: printable(`${folder}/${path}`) },
    el('span', { class: 'faint' }, `${printable(folder)}/`),
    // A long path may break after each of its parts.
    ...printable(path)
      .split(/(?<=\/)/)
      .flatMap((part, index) => (index === 0 ? [part] : [el('wbr'), part])),
  );
}
