import { isPlainWord, shortestConcealed } from '../lib/redaction.ts';

/** Cuts secrets out of text. */
export interface Concealer {
  /** From now on these are cut, in the spellings in which they travel. Very short ones are left: they would cut words. */
  readonly add: (secrets: readonly string[]) => void;
  readonly cut: (text: string) => string;
  /**
   * The same for words that ingestd itself wrote: a secret that is a plain word is cut where it stands alone, not where
   * it is a part of another word.
   */
  readonly cutFixed: (text: string) => string;
}

const CUT = '[cut]';
const MIN_LENGTH = shortestConcealed;

/** Signed tokens and authorization headers, whoever wrote them into a text. */
const tokens = [
  /\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*/g,
  /\b(?<=bearer\s{1,4})[\w.~+/-]{4,}=*/gi,
  /(?<=\b(?:password|client_secret|refresh_token|access_token)=)[^&\s"]+/gi,
];

/** A concealer that knows `secrets`. */
export function createConcealer(secrets: readonly string[] = []): Concealer {
  const spellings = new Set<string>();
  let longestFirst: string[] = [];
  const add = (more: readonly string[]): void => {
    for (const secret of more) {
      if (secret.length >= MIN_LENGTH) for (const spelling of spellingsOf(secret)) spellings.add(spelling);
    }
    longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  };
  add(secrets);

  function cutAll(text: string, cutOne: (rest: string, secret: string) => string): string {
    let result = text;
    for (const secret of longestFirst) if (result.includes(secret)) result = cutOne(result, secret);
    for (const pattern of tokens) result = result.replaceAll(pattern, CUT);
    return result;
  }

  return {
    add,
    cut: (text) => cutAll(text, (rest, secret) => rest.replaceAll(secret, CUT)),
    cutFixed: (text) =>
      cutAll(text, (rest, secret) =>
        isPlainWord(secret)
          ? rest.replaceAll(new RegExp(`(?<!\\p{L})${secret}(?!\\p{L})`, 'gu'), CUT)
          : rest.replaceAll(secret, CUT),
      ),
  };
}

/** Plain, as URLs and forms carry it, as JSON quotes it, in base64 wherever it stands in the text that was encoded. */
function spellingsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.replaceAll(/\p{Cs}/gu, ''));
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  return [secret, encoded, form, JSON.stringify(secret).slice(1, -1), ...base64Of(secret)].filter(
    (spelling) => spelling.length >= MIN_LENGTH,
  );
}

function base64Of(secret: string): string[] {
  return [0, 1, 2].flatMap((shift) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
    const whole = bytes.toString('base64').replace(/=+$/, '');
    // The first and last letters mix with the neighbours' bits.
    const from = shift === 0 ? 0 : shift + 1;
    const to = bytes.length % 3 === 0 ? whole.length : whole.length - 1;
    const inner = whole.slice(from, to);
    return inner.length < 6 ? [] : [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
