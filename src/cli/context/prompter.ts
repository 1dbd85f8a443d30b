import { printable } from '../../lib/text/printable.ts';
import { IngestdError, errorMessage, exitCodes } from '../../model/errors.ts';
import type { CommandContext } from '../define-command.ts';

/** Asks a person. */
export interface Prompter {
  /** `judge` gives what is wrong, or null. */
  readonly text: (question: Question) => Promise<string>;
  /** What is typed is not shown. */
  readonly secret: (question: Question) => Promise<string>;
  readonly choose: (message: string, choices: readonly Choice[]) => Promise<string>;
  /** `usual` is what Enter means; default: no. */
  readonly confirm: (message: string, usual?: boolean) => Promise<boolean>;
}

interface Question {
  readonly message: string;
  readonly suggestion?: string | undefined;
  readonly judge?: ((answer: string) => string | null) | undefined;
}

interface Choice {
  readonly value: string;
  readonly description: string;
}

/** Asks on the terminal. Ctrl+C throws IngestdError `cancelled`. */
export async function terminalPrompter(): Promise<Prompter> {
  const [{ default: input }, { default: password }, { default: select }, { default: confirm }] =
    await Promise.all([
      import('@inquirer/input'),
      import('@inquirer/password'),
      import('@inquirer/select'),
      import('@inquirer/confirm'),
    ]);
  const validate = (judge: Question['judge']) => (answer: string) => judge?.(answer) ?? true;
  return {
    text: ({ message, suggestion, judge }) =>
      asked(
        input({
          message: printable(message),
          validate: validate(judge),
          ...(suggestion === undefined ? {} : { default: suggestion }),
        }),
      ),
    secret: ({ message, judge }) =>
      asked(password({ message: printable(message), mask: '•', validate: validate(judge) })),
    choose: (message, choices) =>
      asked(
        select({
          message: printable(message),
          choices: choices.map(({ value, description }) => ({ value, name: value, description })),
        }),
      ),
    confirm: (message, usual = false) => asked(confirm({ message: printable(message), default: usual })),
  };
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new IngestdError(
      'cancelled',
      exitCodes.unforeseen,
      `nothing more is written: ${errorMessage(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Asks on a terminal; elsewhere nobody can be asked, and the answer is yes. */
export async function confirm({ interactive }: CommandContext, question: string): Promise<boolean> {
  if (!interactive) return true;
  return (await terminalPrompter()).confirm(question);
}
