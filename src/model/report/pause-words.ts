type PauseEnds = Readonly<Record<string, string>>;

/** Which folders are paused, until when, and the way out, for a report of `plan` or `sync`. */
export function pauseWords(paused: readonly string[], isFleet: boolean, ends: PauseEnds = {}): string {
  return isFleet
    ? 'Paused: all hosts of the fleet. Resume with ingestd resume --fleet.'
    : `Paused: ${paused.join(', ')}${pauseEndWords(paused, ends)}. Resume with ingestd resume.`;
}

/** `, until 14:05`, where all of these folders are resumed at once by themselves; else, in brackets, which are, and when. */
export function pauseEndWords(names: readonly string[], ends: PauseEnds): string {
  const ending = names.filter((name) => Object.hasOwn(ends, name));
  const [first = '', ...others] = ending;
  const isOne = ending.length === names.length && others.every((name) => ends[name] === ends[first]);
  if (isOne && ending.length > 0) return `, until ${ends[first]}`;
  return ending.length === 0 ? '' : ` (${ending.map((name) => `${name} until ${ends[name]}`).join(', ')})`;
}
