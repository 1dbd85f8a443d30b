/** A whole number with its thousands set off: `12,418`. */
export function numberWords(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** `1 document`, `2 documents`; `plural` where adding an s is not enough. */
export function countWords(count: number, singular: string, plural = `${singular}s`): string {
  return `${numberWords(count)} ${count === 1 ? singular : plural}`;
}

/** How long something takes, as a person would say it: `a few seconds`, `about 1 minute`, `about 3 hours`. */
export function durationWords(seconds: number): string {
  if (seconds < 10) return 'a few seconds';
  if (seconds < 55) return `about ${Math.round(seconds / 5) * 5} seconds`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `about ${countWords(minutes, 'minute')}`;
  const hours = Math.round(seconds / 3600);
  if (hours < 36) return `about ${countWords(hours, 'hour')}`;
  return `about ${countWords(Math.round(seconds / 86_400), 'day')}`;
}

/** `, done about 21:01`, in the reader's own zone; empty for what is done in a moment. `now`: wall clock, ms. */
export function finishWords(seconds: number, now: number): string {
  if (seconds < 55) return '';
  const [today = ''] = localTime(now).split(' ');
  const minute = localTime(now + seconds * 1000).slice(0, '2026-01-31 21:01'.length);
  return `, done about ${minute.replace(`${today} `, '')}`;
}

/** Made once, when it is needed: it takes as long as hundreds of lines of a log. */
let localTimes: Intl.DateTimeFormat | undefined;

/** `2026-01-31 14:05:09`, in the reader's own zone; what is no time stays. */
export function localTime(at: string | number): string {
  const time = new Date(at).getTime();
  if (Number.isNaN(time)) return String(at);
  localTimes ??= new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  return localTimes.format(time);
}

/** A text with each time in it, ISO 8601, in the reader's own zone; what is part of a name stays. */
export function withLocalTimes(text: string, words: (iso: string) => string = localTime): string {
  return text.replaceAll(/(?<![\w/.-])\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?![\w/-]|\.\w)/g, (iso) =>
    words(iso),
  );
}

/** `14:05`, in the reader's own zone. */
export function minuteWords(time: number | string): string {
  return new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** Bytes in the unit that reads best, of 1024: `151.2 MiB`, `64 KiB`. */
export function sizeWords(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  if (bytes < 1024) return `${Math.round(bytes)} B`;
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)} ${units[unit]}`;
}
