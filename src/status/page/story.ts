import type { Why } from '../../model/ports/control-port.ts';
import { printable } from '../../lib/printable.ts';
import type { Activity } from '../../model/report/status.ts';
import { byId, el, setText } from './dom.ts';
import { storyText } from './story-text.ts';

/** Whose story is open; null: none. */
let shown: { readonly folder: string; readonly path: string } | null = null;

/** Opens the whole story of one file, as `ingestd why` tells it. Escape closes it, and the focus goes back. */
export async function openStory(folder: string, path: string): Promise<void> {
  const dialog = byId('story') as HTMLDialogElement;
  shown = { folder, path };
  setText(byId('story-title'), printable(`${folder}/${path}`));
  byId('story-body').replaceChildren();
  dialog.addEventListener('close', forget, { once: true });
  dialog.showModal();
  await tell();
}

/** Tells the open story anew when something happened to its file. */
export function retellStory({ folder, path }: Pick<Activity, 'folder' | 'path'>): void {
  if (shown?.folder === folder && shown.path === path) void tell();
}

function forget(): void {
  shown = null;
  byId('story-body').replaceChildren();
}

async function tell(): Promise<void> {
  const asked = shown;
  if (asked === null) return;
  const parts = await ask(`${asked.folder}/${asked.path}`);
  // Another story, or none, may be open by now.
  if (shown === asked) byId('story-body').replaceChildren(...parts);
}

async function ask(path: string): Promise<readonly Node[]> {
  try {
    const response = await fetch(`/api/why?path=${encodeURIComponent(path)}`);
    if (response.ok) return storyText((await response.json()) as Why);
    const { message } = (await response.json()) as { message?: string };
    return [el('p', {}, printable(message ?? `The daemon answered with status ${response.status}.`))];
  } catch {
    return [el('p', {}, 'The daemon does not answer.')];
  }
}
