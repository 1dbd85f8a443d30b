import type { Command } from 'commander';

/** A command line and what it is for. */
export interface Example {
  readonly command: string;
  readonly does: string;
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
