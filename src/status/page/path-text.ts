import { printable } from '../../lib/printable.ts';
import { button, el } from './dom.ts';
import { openStory } from './story.ts';

/**
 * A document's place, which opens its story: the folder faint, the path plain, nothing in either able to turn the text
 * around it.
 */
export function pathText(folder: string, path: string): HTMLElement {
  const place = button(
    '',
    { class: 'path', title: printable(`${folder}/${path}`), 'aria-haspopup': 'dialog' },
    () => openStory(folder, path),
  );
  place.append(
    el(
      'bdi',
      {},
      el('span', { class: 'faint' }, `${printable(folder)}/`),
      // A long path may break after each of its parts.
      ...printable(path)
        .split(/(?<=\/)/)
        .flatMap((part, index) => (index === 0 ? [part] : [el('wbr'), part])),
    ),
  );
  return place;
}
