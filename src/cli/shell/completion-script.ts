import type { Command } from 'commander';
import { commandTree, flattened, globalOptions, optionsWithValue } from './command-tree.ts';
import type { CommandNode, OptionNode } from './command-tree.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The completion script of a shell, made from the commands themselves. */
export function completionScript(shell: keyof typeof shells, program: Command): string {
  return shells[shell](commandTree(program));
}

/** For bash alone; it needs nothing else. */
function bashCompletion(root: CommandNode): string {
  return `# bash completion for ingestd
${offersFunction(root)}
_ingestd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} offers=() files=0 file
  _ingestd_offers "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  offers=("\${offers[@]%%:*}")
  COMPREPLY=($(compgen -W "\${offers[*]}" -- "$cur"))
  if ((files)); then
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$cur")
  fi
}
complete -o filenames -F _ingestd ingestd
`;
}

/** For a file `_ingestd` on the fpath, or to be sourced after compinit. */
function zshCompletion(root: CommandNode): string {
  return `#compdef ingestd
# zsh completion for ingestd
${offersFunction(root)}
_ingestd() {
  local cur=$words[CURRENT] files=0
  local -a offers
  _ingestd_offers "\${(@)words[2,CURRENT-1]}"
  (( $#offers )) && _describe ingestd offers
  (( files )) && _files
}
if [[ "\${funcstack[1]-}" = _ingestd ]]; then
  _ingestd "$@"
else
  compdef _ingestd ingestd
fi
`;
}

/**
 * A function that bash and zsh both understand. From the words before the cursor, and the beginning of the one at it in
 * `cur`, it sets `offers` (`word:description`) and `files` (1: the name of a file may stand here).
 */
function offersFunction(root: CommandNode): string {
  const commands = flattened(root);
  const valued = optionsWithValue(root);
  const values = valued.map(
    ({ names, choices }) =>
      `    ${names.join('|')}) ${choices.length > 0 ? `offers=(${choices.join(' ')})` : 'files=1'}; return ;;`,
  );
  const cases = commands.map((node) => {
    const options = [...node.options, ...(node === root ? [] : globalOptions(root))];
    const words = [...node.commands.map(described), ...node.arguments.flatMap(({ choices }) => choices)];
    const files = node.arguments.some(({ file }) => file) ? 1 : 0;
    return `    ${quote(placeOf(node))}) words=(${words.join(' ')}); options=(${options.flatMap(describedOption).join(' ')}); files=${files} ;;`;
  });
  return `_ingestd_offers() {
  local place= prev= skip=0 word
  local -a words options
  for word in "$@"; do
    prev=$word
    if [[ $skip = 1 ]]; then skip=0; continue; fi
    case $word in
      ${valued.flatMap(({ names }) => names).join('|')}) skip=1; continue ;;
    esac
    case "$place $word" in
      ${commands.slice(1).map(placeOf).map(quote).join('|')}) place="$place $word" ;;
    esac
  done
  case $prev in
${values.join('\n')}
  esac
  case $place in
${cases.join('\n')}
  esac
  if [[ $cur = -* ]]; then offers=("\${options[@]}"); files=0; else offers=("\${words[@]}"); fi
}`;
}

/** ` auth login`; empty: the program itself. */
function placeOf({ fullName }: CommandNode): string {
  return fullName.slice('ingestd'.length);
}

function described({ name, description }: Pick<CommandNode, 'name' | 'description'>): string {
  return quote(`${name}:${description}`);
}

function describedOption({ names, description }: OptionNode): readonly string[] {
  return names.map((name) => described({ name, description }));
}

/** For bash and zsh. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishCompletion(root: CommandNode): string {
  const lines = flattened(root).flatMap((node) => {
    const when = fishCondition(node, root);
    return [
      ...node.commands.map(
        ({ name, description }) => `complete -c ingestd ${when} -a ${name} -d ${fishQuote(description)}`,
      ),
      ...node.options.map(
        (option) => `complete -c ingestd ${node === root ? '' : `${when} `}${fishOption(option)}`,
      ),
      ...fishArguments(node).map((words) => `complete -c ingestd ${when} ${words}`),
    ];
  });
  return `# fish completion for ingestd\ncomplete -c ingestd -f\n${lines.join('\n')}\n`;
}

function fishCondition({ fullName, commands }: CommandNode, root: CommandNode): string {
  const children = commands.map(({ name }) => name).join(' ');
  const seen = fullName
    .slice(root.name.length)
    .split(' ')
    .filter(Boolean)
    .map((name) => `__fish_seen_subcommand_from ${name}`);
  const open = children === '' ? [] : [`not __fish_seen_subcommand_from ${children}`];
  return `-n ${fishQuote([...seen, ...open].join('; and '))}`;
}

function fishOption({ names, description, value, choices, flags }: OptionNode): string {
  const spellings = names.map((name) =>
    name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const required = value !== null && !flags.includes('[');
  const values = choices.length > 0 ? ` -x -a ${fishQuote(choices.join(' '))}` : required ? ' -r -F' : '';
  return `${spellings.join(' ')}${values} -d ${fishQuote(description)}`;
}

function fishArguments({ arguments: places }: CommandNode): readonly string[] {
  const choices = places.flatMap((place) => place.choices);
  if (choices.length > 0) return [`-a ${fishQuote(choices.join(' '))}`];
  return places.some(({ file }) => file) ? ['-F'] : [];
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
