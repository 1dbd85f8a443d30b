import type * as z from 'zod';

import { RefusalError } from '../http/refusal-error.ts';

/** What `read` is told of a JSON text that came from outside. */
interface JsonSource {
  /** For the answer: `metadata`, `the body`. */
  readonly what: string;
  readonly text: string;
  readonly docId?: string;
}

/** Reads JSON by a schema. Throws RefusalError: 400 when it is no JSON, 422 when a field breaks a rule, which is named. */
export function readJson<T>(schema: z.ZodType<T>, { what, text, docId = '' }: JsonSource): T {
  const parsed = schema.safeParse(parse({ what, text, docId }));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  throw new RefusalError(422, `${what}: ${place}${issue?.message ?? 'not valid'}`.slice(0, 500), { docId });
}

function parse({ what, text, docId }: Required<JsonSource>): unknown {
  const forbidden = new RefusalError(422, `${what}: the key __proto__ is unknown`, { docId });
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (key === '__proto__') throw forbidden;
      return value;
    });
  } catch (error) {
    if (error === forbidden) throw error;
    throw new RefusalError(400, `${what}: not valid JSON`, { docId });
  }
}
