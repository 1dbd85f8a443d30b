/** Shorter secrets are not cut out of texts: they would cut words everywhere. */
export const shortestConcealed = 4;

/** Letters alone, so few that words of every day may hold them. */
const plainWord = /^\p{L}{1,12}$/u;
const shortestStrong = 8;

/** Says whether a secret may stand inside other words, as `pass` does in `passed`: cutting it out garbles them. */
export function isPlainWord(secret: string): boolean {
  return plainWord.test(secret);
}

/** Says whether cutting a secret out of texts is likely to cut what is none. */
export function isGarbling(secret: string): boolean {
  return secret.length < shortestStrong || isPlainWord(secret);
}
