import type { Activity, Decider } from './status.ts';

/** What there is to say about something that happened, beside what it was and where; null: nothing. */
export function activityWords({ from, message, by }: Activity): string | null {
  const words = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(message === null || message === '' ? [] : [message]),
    ...(by === undefined ? [] : [deciderWords[by]]),
  ];
  return words.length === 0 ? null : words.join(', ');
}

const deciderWords: Readonly<Record<Decider, string>> = {
  page: 'on the page',
  'command line': 'on the command line',
};
