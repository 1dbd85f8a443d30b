import type { Writable } from 'node:stream';
import type { Redactor } from '../../lib/text/redactor.ts';
import type { Output } from '../output.ts';

/** What every command is given: the process it runs in. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly output: Output;
  /** One message on standard error: secrets cut, control characters escaped. */
  readonly complain: (message: string) => void;
  /** Knows the secrets of this process. */
  readonly redactor: Redactor;
  /** Where a progress bar goes; null: standard error is no terminal. */
  readonly progress: Writable | null;
  /** True when a person can be asked. */
  readonly interactive: boolean;
  /** What the process ends with. */
  readonly exitWith: (code: number) => void;
  /** From now on an error nobody foresaw is told with its stack. */
  readonly showStacks: () => void;
}

/** The options that go with every command. */
export interface GlobalFlags {
  readonly config?: string;
}
