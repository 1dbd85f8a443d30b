import { flattened, globalOptions, optionsWithValue, type CommandNode } from './command-tree.ts';

/** A bash completion script; it needs nothing but bash. */
export function bashCompletion(root: CommandNode): string {
  const nodes = flattened(root);
  const cases = nodes.map(
    (node) =>
      `    ${quote(pathOf(node, root))}) words=${quote(wordsOf(node, root))}; files=${flagOf(node, 'file')}; asked=${flagOf(node, 'asked')} ;;`,
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
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= words= files=0 asked=0 i word skip=0
  COMPREPLY=()
  case $prev in
${choices.join('\n')}
    ${files.join('|')}) _ingestd_files "$cur"; return ;;
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
  # Options only where one is begun.
  if [[ -z $cur ]] && ((asked || files)); then words=; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [[ $cur == -* ]] && return
  if ((asked)); then
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(_ingestd_ask "$cur")
  fi
  if ((files)); then _ingestd_files "$cur"; fi
}
_ingestd_files() {
  local file
  while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$1")
}
# As the word will be, without the quotes that have been typed.
_ingestd_ask() {
  local typed=\${1//\\\\/}
  case $typed in [\\"\\']*) typed=\${typed:1} ;; esac
  "\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$typed" 2>/dev/null
}
complete -o filenames -F _ingestd ingestd
`;
}

function pathOf(node: CommandNode, root: CommandNode): string {
  return node === root ? '' : node.fullName.slice(root.name.length + 1);
}

function wordsOf({ commands, options, command }: CommandNode, root: CommandNode): string {
  const values = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const names = [...options, ...globalOptions(root)].flatMap((option) => option.names);
  return [...new Set([...commands.map(({ name }) => name), ...values, ...names])].join(' ');
}

function flagOf(node: CommandNode, flag: 'file' | 'asked'): number {
  return node.arguments.some((argument) => argument[flag]) ? 1 : 0;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
