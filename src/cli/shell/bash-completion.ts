import { flattened, optionsWithValue, type CommandNode } from './command-tree.ts';

/** A bash completion script; it needs nothing but bash. */
export function bashCompletion(root: CommandNode): string {
  const nodes = flattened(root);
  const cases = nodes.map(
    (node) => `    ${quote(pathOf(node, root))}) words=${quote(wordsOf(node))}; files=${fileOf(node)} ;;`,
  );
  const steps = nodes
    .filter((node) => node !== root)
    .map((node) => quote(pathOf(node, root)))
    .join('|');
  const valued = optionsWithValue(root);
  const choices = valued
    .filter(({ choices }) => choices.length > 0)
    .map(
      ({ names, choices }) =>
        `    ${names.join('|')}) COMPREPLY=($(compgen -W ${quote(choices.join(' '))} -- "$cur")); return ;;`,
    );
  const files = valued.filter(({ choices }) => choices.length === 0).flatMap(({ names }) => names);
  return `# bash completion for ingestd
_ingestd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= words= files=0 i word skip=0
  COMPREPLY=()
  case $prev in
${choices.join('\n')}
    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if ((skip)); then skip=0; continue; fi
    case $word in
      ${valued.flatMap(({ names }) => names).join('|')}) skip=1; continue ;;
    esac
    case "$path\${path:+ }$word" in
      ${steps}) path="$path\${path:+ }$word" ;;
    esac
  done
  case $path in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  if ((files)) && [[ $cur != -* ]]; then COMPREPLY+=($(compgen -f -- "$cur")); fi
}
complete -o filenames -F _ingestd ingestd
`;
}

function pathOf(node: CommandNode, root: CommandNode): string {
  return node === root ? '' : node.fullName.slice(root.name.length + 1);
}

function wordsOf({ commands, options, command }: CommandNode): string {
  const values = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  return [...commands.map(({ name }) => name), ...values, ...options.flatMap(({ names }) => names)].join(' ');
}

function fileOf(node: CommandNode): number {
  return node.arguments.some(({ file }) => file) ? 1 : 0;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
