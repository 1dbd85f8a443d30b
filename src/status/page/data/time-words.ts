const minute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const day = { month: 'short', day: 'numeric' } as const;

/** `14:05:09`, in the reader's own zone. */
export function clockWords(iso: string): string {
  return new Date(iso).toLocaleTimeString([], { ...minute, second: '2-digit' });
}

/** `14:05`. */
export function minuteWords(time: number | string): string {
  return new Date(time).toLocaleTimeString([], minute);
}

/** `Jan 31, 14:05:09`: for a list of days. */
export function dayAndClockWords(iso: string): string {
  return `${new Date(iso).toLocaleDateString([], day)}, ${clockWords(iso)}`;
}

/** Date and time for where the day matters. */
export function momentWords(iso: string): string {
  return new Date(iso).toLocaleString([], { year: 'numeric', ...day, ...minute });
}

/** `20:44` today, else date and time. */
export function recentWords(iso: string): string {
  const isToday = new Date(iso).toDateString() === new Date().toDateString();
  return isToday ? minuteWords(iso) : momentWords(iso);
}

/** `12 s`, `3 min`, `5 h`, `2 days`: rough and short. */
export function shortDuration(seconds: number): string {
  if (seconds < 100) return `${Math.max(0, Math.ceil(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
