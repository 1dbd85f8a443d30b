import type { Argument, Command, Option } from 'commander';

import { examplesOf } from '../define-command.ts';
import type { Example } from '../define-command.ts';

/** A command as completion and the man page see it. */
export interface CommandNode {
  readonly name: string;
  /** `ingestd auth login` */
  readonly fullName: string;
  readonly description: string;
  /** `[options] <path>` */
  readonly usage: string;
  readonly options: readonly OptionNode[];
  readonly arguments: readonly ArgumentNode[];
  readonly commands: readonly CommandNode[];
  readonly examples: readonly Example[];
}

export type OptionNode = ReturnType<typeof optionNode>;
type ArgumentNode = ReturnType<typeof argumentNode>;

/** The tree of a program, hidden commands left out, `--help` among each command's options. */
export function commandTree(command: Command, parents = ''): CommandNode {
  const fullName = parents === '' ? command.name() : `${parents} ${command.name()}`;
  const help = command.createHelp();
  const shown = help.visibleCommands(command);
  const visible = command.commands.filter((child) => shown.includes(child));
  return {
    name: command.name(),
    fullName,
    description: command.description(),
    usage: command.usage(),
    options: help.visibleOptions(command).map(optionNode),
    arguments: command.registeredArguments.map(argumentNode),
    commands: visible.map((child) => commandTree(child, fullName)),
    examples: examplesOf(command),
  };
}

function argumentNode(argument: Argument) {
  const name = argument.name();
  return {
    name,
    description: argument.description,
    /** True where a file of this machine is meant. */
    file: ['path', 'paths', 'file'].includes(name),
    choices: argument.argChoices ?? [],
    variadic: argument.variadic,
  };
}

function optionNode(option: Option) {
  const value = /[<[]([^\]>]+)[\]>]/.exec(option.flags)?.[1] ?? null;
  return {
    /** `-c`, `--config`; the long one last. */
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    /** `-c, --config <FILE>` */
    flags: option.flags,
    description: option.description,
    /** `FILE`; null: it is a switch. */
    value,
    choices: option.argChoices ?? [],
  };
}

/** The options of the program that every command takes. */
export function globalOptions(root: CommandNode): readonly OptionNode[] {
  return root.options.filter(({ names }) => !names.includes('--help') && !names.includes('--version'));
}

/** A command and all below it, parents first. */
export function flattened(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(flattened)];
}

/** Every option that takes a value, each once. */
export function optionsWithValue(root: CommandNode): readonly OptionNode[] {
  const found = new Map<string, OptionNode>();
  for (const option of flattened(root).flatMap(({ options }) => options)) {
    if (option.value !== null && !option.flags.includes('[')) found.set(option.flags, option);
  }
  return [...found.values()];
}
