import type { Command, Option } from 'commander';
import { fullName, withSubcommands } from '../define-command.ts';

/** What may stand behind a command. */
interface Place {
  /** ` auth login`; empty: the program itself. */
  readonly path: string;
  readonly words: readonly Offer[];
  readonly options: readonly Option[];
  /** The name of a file may stand here. */
  readonly takesFile: boolean;
}

/** A command, an option, or a choice of an argument, which has no description. */
interface Offer {
  readonly name: string;
  readonly description?: string;
}

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The completion script of a shell, made from the commands themselves. */
export function completionScript(shell: keyof typeof shells, program: Command): string {
  const places = withSubcommands(program).map((command) => ({
    path: fullName(command).slice(program.name().length),
    words: [
      ...command.commands.map((child) => ({ name: child.name(), description: child.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((name) => ({ name }))),
    ],
    options: command.createHelp().visibleOptions(command),
    takesFile: command.registeredArguments.some((one) =>
      ['path', 'paths', 'place', 'file'].includes(one.name()),
    ),
  }));
  return shells[shell](places, program.options);
}

/** For bash alone; it needs nothing else. */
function bashCompletion(places: readonly Place[], globals: readonly Option[]): string {
  return `# bash completion for ingestd
${offersFunction(places, globals)}
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
function zshCompletion(places: readonly Place[], globals: readonly Option[]): string {
  return `#compdef ingestd
# zsh completion for ingestd
${offersFunction(places, globals)}
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
function offersFunction(places: readonly Place[], globals: readonly Option[]): string {
  const valued = new Map(
    places.flatMap(({ options }) =>
      options.filter(({ required }) => required).map((one) => [one.flags, one]),
    ),
  );
  const values = Array.from(valued.values(), (option) => {
    const offers = option.argChoices === undefined ? 'files=1' : `offers=(${option.argChoices.join(' ')})`;
    return `    ${spellings(option).join('|')}) ${offers}; return ;;`;
  });
  const cases = places.map(({ path, words, options, takesFile }) => {
    const all = [...new Set([...options, ...globals])].flatMap((option) =>
      spellings(option).map((name) => ({ name, description: option.description })),
    );
    return `    ${quote(path)}) words=(${offersText(words)}); options=(${offersText(all)}); files=${Number(takesFile)} ;;`;
  });
  return `_ingestd_offers() {
  local place= prev= skip=0 word
  local -a words options
  for word in "$@"; do
    prev=$word
    if [[ $skip = 1 ]]; then skip=0; continue; fi
    case $word in
      ${[...valued.values()].flatMap(spellings).join('|')}) skip=1; continue ;;
    esac
    case "$place $word" in
      ${places.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join('|')}) place="$place $word" ;;
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

function spellings({ short, long }: Option): readonly string[] {
  return [short, long].filter((name) => name !== undefined);
}

function offersText(offers: readonly Offer[]): string {
  return offers
    .map(({ name, description }) => quote(description === undefined ? name : `${name}:${description}`))
    .join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishCompletion(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, options, takesFile }) => {
    const before = path.split(' ').filter(Boolean);
    const below = words.flatMap(({ name, description }) => (description === undefined ? [] : [name]));
    const condition = [
      ...before.map((name) => `__fish_seen_subcommand_from ${name}`),
      ...(below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(' ')}`]),
    ].join('; and ');
    const here = `complete -c ingestd -n ${quote(condition)}`;
    return [
      ...words.map(({ name, description = '' }) => `${here} -a ${name} -d ${quote(description)}`),
      ...options.map((option) => `${path === '' ? 'complete -c ingestd' : here}${fishOption(option)}`),
      ...(takesFile ? [`${here} -F`] : []),
    ];
  });
  return `# fish completion for ingestd\ncomplete -c ingestd -f\n${lines.join('\n')}\n`;
}

function fishOption(option: Option): string {
  const { short, long, description, required, argChoices } = option;
  const names = [...(short ? [` -s ${short.slice(1)}`] : []), ...(long ? [` -l ${long.slice(2)}`] : [])];
  const files = required ? ' -r -F' : '';
  const values = argChoices === undefined ? files : ` -x -a ${quote(argChoices.join(' '))}`;
  return `${names.join('')}${values} -d ${quote(description)}`;
}
