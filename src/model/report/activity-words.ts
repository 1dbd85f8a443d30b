import type { Activity } from './status.ts';

/** What there is to say about something that happened, beside what it was and where; null: nothing. */
export function activityWords({ from, message }: Activity): string | null {
  const words = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(message === null || message === '' ? [] : [message]),
  ];
  return words.length === 0 ? null : words.join(', ');
}
