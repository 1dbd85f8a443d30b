import { distance } from 'fastest-levenshtein';

/** Whether two words are two letters apart at most; two that are swapped count as one. Case does not count. */
export function isNear(one: string, other: string): boolean {
  const [word, wanted] = [one.toLowerCase(), other.toLowerCase()];
  // Each swap is two letters to the distance.
  const far = distance(word, wanted);
  if (far <= 2 || far > 4) return far <= 2;
  const back = new Set(swapsOf(wanted));
  return swapsOf(word).some((swap) => back.has(swap) || distance(swap, wanted) <= 1);
}

/** Whether a word becomes another by one letter that is put in, left out or changed, or by two that are swapped. */
export function isOneLetterOff(one: string, other: string): boolean {
  return distance(one, other) === 1 || (one !== other && swapsOf(one).includes(other));
}

/** A word with each two neighbours swapped. */
function swapsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  return letters
    .slice(1)
    .map((_, at) => letters.toSpliced(at, 2, letters[at + 1] ?? '', letters[at] ?? '').join(''));
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
