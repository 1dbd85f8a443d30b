import { flattened, type CommandNode, type OptionNode } from './command-tree.ts';

/** A fish completion script. */
export function fishCompletion(root: CommandNode): string {
  const top = root.commands.map(({ name }) => name).join(' ');
  const lines = flattened(root).flatMap((node) => {
    const when = conditionOf(node, root, top);
    return [
      ...node.commands.map(
        ({ name, description }) => `complete -c ingestd ${when} -a ${name} -d ${quote(description)}`,
      ),
      ...node.options.map(
        (option) => `complete -c ingestd ${node === root ? '' : `${when} `}${specOf(option)}`,
      ),
      ...argumentLines(node, when),
    ];
  });
  return `# fish completion for ingestd\ncomplete -c ingestd -f\n${lines.join('\n')}\n`;
}

function conditionOf(node: CommandNode, root: CommandNode, top: string): string {
  if (node === root) return `-n ${quote(`not __fish_seen_subcommand_from ${top}`)}`;
  const seen = node.fullName
    .split(' ')
    .slice(1)
    .map((name) => `__fish_seen_subcommand_from ${name}`);
  const children = node.commands.map(({ name }) => name).join(' ');
  const open = children === '' ? [] : [`not __fish_seen_subcommand_from ${children}`];
  return `-n ${quote([...seen, ...open].join('; and '))}`;
}

function specOf({ names, description, value, choices, flags }: OptionNode): string {
  const spellings = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const required = value !== null && !flags.includes('[');
  const values = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : required ? ' -r -F' : '';
  return `${spellings.join(' ')}${values} -d ${quote(description)}`;
}

const asking = '(ingestd __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)';

function argumentLines({ command, arguments: names }: CommandNode, when: string): string[] {
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  if (choices.length > 0) return [`complete -c ingestd ${when} -a ${quote(choices.join(' '))}`];
  return [
    ...(names.some(({ asked }) => asked) ? [`complete -c ingestd ${when} -a ${quote(asking)}`] : []),
    ...(names.some(({ file }) => file) ? [`complete -c ingestd ${when} -F`] : []),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
