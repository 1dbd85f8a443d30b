import type { Command, Option } from 'commander';

import { examplesOf, type Example } from '../define-command.ts';

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

export interface OptionNode {
  /** `-c`, `--config`; the long one last. */
  readonly names: readonly string[];
  /** `-c, --config <FILE>` */
  readonly flags: string;
  readonly description: string;
  /** `FILE`; null: it is a switch. */
  readonly value: string | null;
  readonly choices: readonly string[];
}

export interface ArgumentNode {
  readonly name: string;
  readonly description: string;
  /** True where a file of this machine is meant. */
  readonly file: boolean;
  /** True where ingestd knows what it may be: `ingestd __complete` says it. */
  readonly asked: boolean;
  readonly choices: readonly string[];
  readonly variadic: boolean;
}

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
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      file: ['path', 'paths', 'file'].includes(argument.name()),
      asked: ['folder', 'path', 'paths'].includes(argument.name()),
      choices: argument.argChoices ?? [],
      variadic: argument.variadic,
    })),
    commands: visible.map((child) => commandTree(child, fullName)),
    examples: examplesOf(command),
  };
}

function optionNode(option: Option): OptionNode {
  const value = /[<[]([^\]>]+)[\]>]/.exec(option.flags)?.[1] ?? null;
  return {
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    flags: option.flags,
    description: option.description,
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
