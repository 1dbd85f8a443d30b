/** Texts that many records share, each kept once and known by a small number as long as somebody holds it. */
export interface ValuePool<T> {
  /** The number of a text, held once more. */
  readonly hold: (text: string) => number;
  readonly has: (text: string) => boolean;
  /** Holds a number that is already held by somebody once more. */
  readonly holdAgain: (id: number) => void;
  readonly release: (id: number) => void;
  readonly text: (id: number) => string;
  /** What the text stands for. Kept for texts that are shared, made anew each time for the others. */
  readonly value: (id: number) => T;
}

/** An empty pool. `make` turns a text into what it stands for; equal texts, equal values. */
export function createValuePool<T>(make: (text: string) => T): ValuePool<T> {
  const ids = new Map<string, number>();
  const texts: string[] = [];
  const holders: number[] = [];
  const values: (T | undefined)[] = [];
  const free: number[] = [];

  return {
    hold: (text) => {
      const known = ids.get(text);
      if (known !== undefined) {
        holders[known] = (holders[known] as number) + 1;
        return known;
      }
      const id = free.pop() ?? texts.length;
      ids.set(text, id);
      texts[id] = text;
      holders[id] = 1;
      values[id] = undefined;
      return id;
    },
    has: (text) => ids.has(text),
    holdAgain: (id) => {
      holders[id] = (holders[id] as number) + 1;
    },
    release: (id) => {
      const left = (holders[id] as number) - 1;
      holders[id] = left;
      if (left > 0) return;
      ids.delete(texts[id] as string);
      texts[id] = '';
      values[id] = undefined;
      free.push(id);
    },
    text: (id) => texts[id] as string,
    value: (id) => {
      const kept = values[id];
      if (kept !== undefined) return kept;
      const value = make(texts[id] as string);
      if ((holders[id] as number) > 1) values[id] = value;
      return value;
    },
  };
}
