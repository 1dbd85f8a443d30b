import { directoryOf, joinPath, nameOf } from '../../model/document.ts';
import { rulesName } from './directory-rules.ts';
import type { Ground } from '../ground.ts';
import { defaultsName } from './pair-sidecars.ts';
import type { DirectoryState } from '../walk/directory-state.ts';

type Companions = Pick<DirectoryState, 'lists' | 'defaultsKey' | 'rulesKey'>;

/**
 * Takes note of sidecars, defaults and ignore rules that a sweep finds gone, or back. One that is saved by unlink and
 * recreate, or is moved ahead of its document, is gone for a moment: what it says must not be taken back meanwhile,
 * least of all a sharing mode, or that a file is not to be sent.
 */
export function noteCompanions(ground: Ground, directory: string, before: Companions, now: Companions): void {
  for (const name of before.lists?.keys() ?? []) {
    if (now.lists?.has(name) !== true) ground.observations.since(topicOf(joinPath(directory, name)));
  }
  for (const name of now.lists?.keys() ?? []) ground.observations.end(topicOf(joinPath(directory, name)));
  note(defaultsName, before.defaultsKey, now.defaultsKey);
  note(rulesName, before.rulesKey, now.rulesKey);

  function note(name: string, was: string, is: string): void {
    const topic = topicOf(joinPath(directory, name));
    if (is !== '') ground.observations.end(topic);
    else if (was !== '') ground.observations.since(topic);
  }
}

/** How long the other half of a removal is still waited for where nothing stands at `path`, ms; 0: no more. */
export function companionGrace(ground: Ground, path: string): number {
  const topic = topicOf(path);
  const passed =
    ground.observations.asked(topic) ?? (wasThere(ground, path) ? ground.observations.since(topic) : null);
  return passed === null ? 0 : Math.max(0, Math.ceil(ground.removeGraceMs - passed));
}

/** As the last sweep saw it: that it is gone has not rung yet. */
function wasThere(ground: Ground, path: string): boolean {
  const state = ground.tree.get(directoryOf(path));
  const name = nameOf(path);
  if (state === undefined) return false;
  if (name === defaultsName) return state.defaultsKey !== '';
  return name === rulesName ? state.rulesKey !== '' : state.lists?.has(name) === true;
}

function topicOf(path: string): string {
  return `companion ${path}`;
}
