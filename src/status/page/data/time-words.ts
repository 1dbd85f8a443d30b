import { minuteWords, withLocalTimes } from '../../../lib/text/amounts.ts';

/** `14:05:09`, in the reader's own zone. */
export function clockWords(iso: string): string {
  return new Date(iso).toLocaleTimeString([], { timeStyle: 'medium', hourCycle: 'h23' });
}

/** `Jan 31, 2026, 14:05:09`: where seconds tell one from another. */
export function exactWords(iso: string): string {
  return new Date(iso).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
}

/** `20:44` today, else with its date. */
export function momentWords(iso: string): string {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? minuteWords(iso)
    : `${date.toLocaleDateString([], { dateStyle: 'medium' })}, ${minuteWords(iso)}`;
}

/** A text with each time in it, ISO 8601, as a person would say it; what is part of a name stays. */
export function localTimes(text: string): string {
  return withLocalTimes(text, momentWords);
}
