import type { Writable } from 'node:stream';
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
}

/** The options that go with every command. */
export interface GlobalFlags {
  readonly config?: string;
  /** In the place of the configuration's `log.level`. */
  readonly logLevel?: LogLevel;
  /** Only errors on standard error, and nothing of a success that nobody waits for. */
  readonly quiet?: boolean;
}

/** With those that many commands have. */
export interface CommandFlags extends GlobalFlags {
  readonly json?: boolean;
  /** Nobody is asked. */
  readonly yes?: boolean;
}

/** The level that the command line asks for; undefined: it leaves it to the configuration. */
export function levelAskedFor({ logLevel, quiet }: GlobalFlags): LogLevel | undefined {
  return quiet === true ? 'error' : logLevel;
}

/** What a command runs: it is given the arguments first, then the flags; the result is the exit code. */
type Action = (context: CommandContext, ...given: never[]) => Promise<number>;

/** Gives a command what it runs. */
export type Define = ReturnType<typeof commandDefiner>;

/** For the commands of one process. `load` imports the action's module: no other command loads it. */
export function commandDefiner(context: CommandContext) {
  return (command: Command, load: () => Promise<Action>): Command =>
    command.action(async (...given: unknown[]) => {
      const values = given.slice(0, command.registeredArguments.length);
      const run = await load();
      context.exitWith(await run(context, ...([...values, command.optsWithGlobals()] as never[])));
    });
}

/** A command and all below it. */
export function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}

/** `ingestd auth login` */
export function fullName(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${fullName(parent)} ${command.name()}`;
}
