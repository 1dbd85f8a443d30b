import { directoryOf, refKey } from '../document.ts';
import type { ShareMode } from '../metadata/metadata.ts';
import type { Activity, Decider, SharingChange } from './status.ts';

/** What there is to say about something that happened, beside what it was and where; null: nothing. */
export function activityWords({ from, message, by, sharing }: Activity): string | null {
  const words = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(sharing === undefined ? [] : [sharingWords(sharing)]),
    ...(message === null || message === '' ? [] : [message]),
    ...(by === undefined ? [] : [deciderWords[by]]),
  ];
  return words.length === 0 ? null : words.join(', ');
}

/**
 * What happened of one kind in one directory, and with the same words, has the same text: in a row it is told at once.
 * What is about a folder, or about many documents already, stands alone.
 */
export function burstOf(activity: Activity): string {
  const { at, what, folder, path, documents } = activity;
  if (path === '' || documents > 1) return `${at} ${what} ${refKey(activity)}`;
  return JSON.stringify([what, folder, directoryOf(path), activityWords(activity)]);
}

/** What happened one after the other and has the same text. */
export function gathered(activities: readonly Activity[]): readonly (readonly Activity[])[] {
  const bursts: Activity[][] = [];
  for (const activity of activities) {
    const last = bursts.at(-1);
    if (last?.[0] !== undefined && burstOf(last[0]) === burstOf(activity)) last.push(activity);
    else bursts.push([activity]);
  }
  return bursts;
}

/** Where a sharing mode comes from that nothing states. */
export const unstatedSource = 'the service’s default, as nothing states one';

/** `sharing NONE → EVERYONE (report.pdf.meta.json)`; of an upload by default only the mode. */
export function sharingWords({ before, after, perhaps = [], source }: SharingChange): string {
  const modes = before === null || before === after ? after : `${before} → ${after}`;
  const between = perhaps.length === 0 ? '' : `, perhaps ${perhaps.join(' or ')} in between`;
  const isByDefault = before === null && source === unstatedSource;
  return `sharing ${modes}${between}${isByDefault ? '' : ` (${source})`}`;
}

/** Who can see a document with this sharing mode, interface 2.6; null: nobody knows which it has. */
export function audienceWords(mode: ShareMode | null): string {
  return mode === null ? 'sharing not known' : audiences[mode];
}

const audiences: Readonly<Record<ShareMode, string>> = {
  NONE: 'private',
  DEFAULT: 'shared with your default group',
  EVERYONE: 'shared with everyone in your organization',
};

const deciderWords: Readonly<Record<Decider, string>> = {
  page: 'on the page',
  'command line': 'on the command line',
};
