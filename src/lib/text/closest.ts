import { distance } from 'fastest-levenshtein';

/** Whether two words differ by two letters at most. Case does not count. */
export function isNear(one: string, other: string): boolean {
  return Math.abs(one.length - other.length) <= 2 && distance(one.toLowerCase(), other.toLowerCase()) <= 2;
}

/** Whether a word becomes another by one letter that is put in, left out or changed, or by two that are swapped. */
export function isOneLetterOff(one: string, other: string): boolean {
  const at = Array.from(one).findIndex((letter, index) => letter !== other[index]);
  const swapped = `${one.slice(0, at)}${one[at + 1]}${one[at]}${one.slice(at + 2)}`;
  return distance(one, other) === 1 || (at !== -1 && swapped === other);
}

/** The candidate that a person most likely meant by `word`; undefined where none is near. Case does not count. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  // Two letters that are swapped count twice.
  const limit = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  const [nearest] = Array.from(candidates, (name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ far }) => far <= limit)
    .sort((one, other) => one.far - other.far);
  return nearest?.name;
}
