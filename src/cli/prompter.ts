import { numberWords } from '../lib/text/amounts.ts';
import { printable } from '../lib/text/printable.ts';
import { ConfigurationError, IngestdError, errorMessage, exitCodes } from '../model/errors.ts';
import type { CommandContext } from './define-command.ts';
import type { Output } from './output.ts';

/** Asks a person. */
export type Prompter = Awaited<ReturnType<typeof terminalPrompter>>;

interface Question {
  readonly message: string;
  readonly suggestion?: string | undefined;
  /** Gives what is wrong, or null. */
  readonly judge?: ((answer: string) => string | null) | undefined;
}

/** Asks on the terminal. Ctrl+C throws IngestdError `cancelled`, of which nothing is to be said. */
export async function terminalPrompter() {
  const [{ default: input }, { default: password }, { default: select }, { default: confirm }] =
    await Promise.all([
      import('@inquirer/input'),
      import('@inquirer/password'),
      import('@inquirer/select'),
      import('@inquirer/confirm'),
    ]);
  const validate = (judge: Question['judge']) => (answer: string) => judge?.(answer) ?? true;
  return {
    text: ({ message, suggestion, judge }: Question) =>
      asked(
        input({
          message: printable(message),
          validate: validate(judge),
          ...(suggestion === undefined ? {} : { default: suggestion }),
        }),
      ),
    /** What is typed is not shown. */
    secret: ({ message, judge }: Question) =>
      asked(password({ message: printable(message), mask: '•', validate: validate(judge) })),
    choose: (message: string, choices: readonly { readonly value: string; readonly description: string }[]) =>
      asked(
        select({
          message: printable(message),
          choices: choices.map(({ value, description }) => ({ value, name: value, description })),
        }),
      ),
    /** `usual` is what Enter means. */
    confirm: (message: string, usual = false) =>
      asked(confirm({ message: printable(message), default: usual })),
  };
}

async function asked<T>(question: Promise<T>): Promise<T> {
  const before = process.exitCode;
  // Where the input ends (Ctrl+D) nothing is left to wait for, and Node ends the process with this code.
  process.exitCode = exitCodes.unforeseen;
  try {
    const answer = await question;
    process.exitCode = before;
    return answer;
  } catch (error) {
    const isCancelled = error instanceof Error && error.name === 'ExitPromptError';
    const message = isCancelled ? 'cancelled' : `no answer: ${errorMessage(error)}`;
    // The words of inquirer for Ctrl+C.
    const isInterrupted = isCancelled && error.message.includes('SIGINT');
    const code = isInterrupted ? exitCodes.interrupted : exitCodes.unforeseen;
    throw new IngestdError('cancelled', code, message, { cause: error });
  }
}

/** Names what a question is about, of `total`: so many at most. */
export function nameAll({ line }: Output, names: readonly string[], total = names.length): void {
  for (const name of names.slice(0, mostNamed)) line(name);
  const more = total - Math.min(names.length, mostNamed);
  if (more > 0) line(`and ${numberWords(more)} more`);
}

const mostNamed = 1_000;

/**
 * Asks whether to go on; false, which is said: no. Where nobody can be asked, the answer is yes, or ConfigurationError
 * with the words of `refusal`.
 */
export async function confirm(
  { interactive, output }: CommandContext,
  question: string,
  refusal?: string,
): Promise<boolean> {
  if (!interactive) {
    if (refusal === undefined) return true;
    throw new ConfigurationError(refusal);
  }
  const isMeant = await (await terminalPrompter()).confirm(question);
  if (!isMeant) output.line('Nothing was changed.');
  return isMeant;
}
