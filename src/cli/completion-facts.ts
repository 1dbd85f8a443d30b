import type { CommandNode, OptionNode } from './command-tree.ts';

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
