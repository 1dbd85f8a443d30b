export interface Message {
  /** `log warn` and the like; empty: no line of the log. */
  readonly kind: string;
  /** With `{name}` where a value goes. */
  readonly text: string;
}

/** Everything that ingestd says to a person, by the source that it stands in. */
export function collectMessages(
  root: string,
): Promise<readonly { readonly file: string; readonly messages: readonly Message[] }[]>;

/** The messages of one TypeScript source, in its order. */
export function messagesOf(source: string): readonly Message[];

/** The page `docs/messages.md`. */
export function messagesPage(root: string): Promise<string>;
