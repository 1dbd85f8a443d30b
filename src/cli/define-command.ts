import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import type { Command } from 'commander';
import type { Redactor } from '../lib/text/redactor.ts';
import type { LogLevel } from '../model/settings.ts';
import type { Output } from './output.ts';

/** What every command is given: the process it runs in. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly output: Output;
  /** One message on standard error: secrets cut, control characters escaped. */
  readonly complain: (message: string) => void;
  /** Takes whole lines for standard error as they stand: for the log, which redacts and escapes by itself. */
  readonly writeError: (text: string) => void;
  /** Knows the secrets of this process. */
  readonly redactor: Redactor;
  /** Where a progress bar goes; null: standard error is no terminal. */
  readonly progress: Writable | null;
  /** True when a person can be asked. */
  readonly interactive: boolean;
  /** What the process ends with. */
  readonly exitWith: (code: number) => void;
  /** From now on an unexpected error is printed with its stack. */
  readonly showStacks: () => void;
}

/** The options that go with every command. */
export interface GlobalFlags {
  readonly config?: string;
  /** In the place of the configuration's `log.level`. */
  readonly logLevel?: LogLevel;
  /** Only errors on standard error, and nothing of a success that nobody waits for. */
  readonly quiet?: boolean;
}

/** The command and the configuration file that a command line names; it may be wrong, or not complete yet. */
export function readCommandLine(program: Command, words: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = {};
  for (const option of program.options) {
    const type = option.required ? 'string' : 'boolean';
    const short = option.short?.slice(1);
    options[option.name()] = short === undefined ? { type } : { type, short };
  }
  const { values, positionals } = parseArgs({
    args: [...words],
    options,
    strict: false,
    allowPositionals: true,
  });
  const { config } = values;
  return { command: positionals[0], config: typeof config === 'string' ? config : undefined };
}

/** The level that the command line asks for; undefined: it leaves it to the configuration. */
export function levelAskedFor({ logLevel, quiet }: GlobalFlags): LogLevel | undefined {
  return quiet === true ? 'error' : logLevel;
}

/** A command line and what it is for. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/** What a command runs: it is given the arguments first, then the flags; the result is the exit code. */
type Action = (context: CommandContext, ...given: never[]) => Promise<number>;

/** Gives a command what it runs and its examples. `load` imports the action's module: no other command loads it. */
export function defineCommand(
  command: Command,
  context: CommandContext,
  load: () => Promise<Action>,
  examples: readonly Example[],
): void {
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, command.registeredArguments.length);
    const run = await load();
    context.exitWith(await run(context, ...([...values, command.optsWithGlobals()] as never[])));
  });
  withExamples(command, examples);
}

const known = new WeakMap<Command, readonly Example[]>();

/** Adds examples to a command's help and to the man page. */
export function withExamples(command: Command, examples: readonly Example[]): Command {
  known.set(command, examples);
  const width = Math.max(...examples.map((example) => example.command.length));
  const lines = examples.map((example) => `  ${example.command.padEnd(width)}  ${example.does}`);
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** The examples of a command. */
export function examplesOf(command: Command): readonly Example[] {
  return known.get(command) ?? [];
}
