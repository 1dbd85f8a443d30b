import type { Command } from 'commander';

import type { CommandContext } from './context/command-context.ts';

/** A command line and what it is for. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/** Gives a command what it runs (arguments first, then its flags; the result is the exit code) and its examples. */
export function defineCommand(
  command: Command,
  context: CommandContext,
  run: (context: CommandContext, ...given: never[]) => Promise<number>,
  examples: readonly Example[],
): void {
  command.action(async (...given: unknown[]) => {
    const values = given.slice(0, command.registeredArguments.length);
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
