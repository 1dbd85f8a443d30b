import { minuteWords, withLocalTimes } from '../../../lib/text/amounts.ts';

const day = { month: 'short', day: 'numeric' } as const;

/** `14:05:09`, in the reader's own zone. */
export function clockWords(iso: string): string {
  return new Date(iso).toLocaleTimeString([], { timeStyle: 'medium', hourCycle: 'h23' });
}

/** `Jan 31, 14:05:09`: for a list of days. */
export function dayAndClockWords(iso: string): string {
  return `${new Date(iso).toLocaleDateString([], day)}, ${clockWords(iso)}`;
}

/** `20:44` today, else with its date. */
export function momentWords(iso: string): string {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? minuteWords(iso)
    : `${date.toLocaleDateString([], { year: 'numeric', ...day })}, ${minuteWords(iso)}`;
}

/** A text with each time in it, ISO 8601, as a person would say it; what is part of a name stays. */
export function localTimes(text: string): string {
  return withLocalTimes(text, momentWords);
}
