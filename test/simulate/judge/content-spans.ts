import type { Reading } from './reading.ts';

/** For how long a file held a text. */
export interface Span {
  readonly identity: object;
  readonly from: number;
  /** When it held another one, or was gone; null: it still holds it. */
  to: number | null;
}

interface Current {
  readonly text: string;
  readonly content: Buffer;
  readonly span: Span;
}

/** Which text stood in which file, and when. Texts are never the same by chance. */
export class ContentSpans {
  readonly #spans = new Map<string, Span[]>();
  #current = new Map<object, Current>();

  see(reading: Reading, now: number): void {
    const next = new Map<object, Current>();
    for (const { identity, content, text } of reading.everything()) {
      const known = this.#current.get(identity);
      if (known?.content === content) {
        next.set(identity, known);
        continue;
      }
      if (known?.text === text) {
        // Written anew, with the same text: it has not stood for long.
        known.span.to = now;
      }
      const span: Span = { identity, from: now, to: null };
      this.#spans.set(text, [...(this.#spans.get(text) ?? []), span]);
      next.set(identity, { text, content, span });
    }
    for (const [identity, { span }] of this.#current) if (next.get(identity)?.span !== span) span.to ??= now;
    this.#current = next;
  }

  of(text: string): readonly Span[] {
    return this.#spans.get(text) ?? [];
  }
}
