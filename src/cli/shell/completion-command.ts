import { Argument } from 'commander';
import type { Command } from 'commander';
import { withExamples } from '../define-command.ts';
import type { CommandContext } from '../define-command.ts';
import { commandTree, flattened, globalOptions, optionsWithValue } from './command-tree.ts';
import type { ArgumentNode, CommandNode, OptionNode } from './command-tree.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** `ingestd completion SHELL`: a completion script, made from the commands themselves. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells)))
    .action((shell: keyof typeof shells) => {
      context.output.raw(shells[shell](commandTree(program)));
    });
  withExamples(command, [
    { command: 'source <(ingestd completion bash)', does: 'bash, in ~/.bashrc' },
    { command: 'ingestd completion zsh > "${fpath[1]}/_ingestd"', does: 'zsh' },
    { command: 'ingestd completion fish > ~/.config/fish/completions/ingestd.fish', does: 'fish' },
  ]);
}

/** It needs nothing but bash. */
function bashCompletion(root: CommandNode): string {
  const nodes = flattened(root);
  const pathOf = ({ fullName }: CommandNode) => fullName.slice(root.name.length + 1);
  const cases = nodes.map((node) => {
    const flagOf = (flag: 'file' | 'asked') => (node.arguments.some((argument) => argument[flag]) ? 1 : 0);
    return `    ${quote(pathOf(node))}) words=${quote(bashWords(node, root))}; files=${flagOf('file')}; asked=${flagOf('asked')} ;;`;
  });
  const steps = nodes.filter((node) => node !== root).map((node) => quote(pathOf(node)));
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
      ${steps.join('|')}) path="$path\${path:+ }$word" ;;
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

function bashWords({ commands, options, arguments: places }: CommandNode, root: CommandNode): string {
  const names = [...options, ...globalOptions(root)].flatMap((option) => option.names);
  const choices = places.flatMap((place) => place.choices);
  return [...new Set([...commands.map(({ name }) => name), ...choices, ...names])].join(' ');
}

/** For a file `_ingestd` on the fpath, or to be sourced after compinit. */
function zshCompletion(root: CommandNode): string {
  return `#compdef ingestd
# zsh completion for ingestd
${flattened(root)
  .map((node) => zshFunction(node, root))
  .join('\n')}
_ingestd_ask() {
  local -a offers
  offers=("\${(@f)$("\${(@)ingestd_line[1]}" __complete -- "\${(@)ingestd_line[2,-1]}" 2>/dev/null)}")
  offers=("\${(@)offers:#}")
  (( $#offers )) && compadd -a offers
}
_ingestd_ask_or_files() {
  _ingestd_ask
  _files
}
if [[ "\${funcstack[1]-}" = ${zshName(root)} ]]; then
  ${zshName(root)} "$@"
else
  compdef ${zshName(root)} ingestd
fi
`;
}

function zshFunction(node: CommandNode, root: CommandNode): string {
  const globals = node === root ? [] : globalOptions(root);
  const lines = [...node.options, ...globals].map((option) => `    ${zshOption(option)}`);
  if (node.commands.length === 0) {
    lines.push(...node.arguments.map((argument, index) => `    ${zshArgument(argument, index + 1)}`));
    return `${zshName(node)}() {\n  _arguments -s \\\n${lines.join(' \\\n')}\n}`;
  }
  const described = node.commands.map(
    ({ name, description }) => `    ${quote(`${name}:${zshWords(description)}`)}`,
  );
  const calls = node.commands.map((child) => `        ${child.name}) ${zshName(child)} ;;`);
  return `${zshName(node)}() {
  local context state line
${node === root ? wholeLine : ''}  local -a commands=(
${described.join('\n')}
  )
  _arguments -C -s \\
${lines.join(' \\\n')} \\
    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case $line[1] in
${calls.join('\n')}
      esac ;;
  esac
}`;
}

/** What a command below sees is the rest of the line only. */
const wholeLine = '  local -a ingestd_line=("${(@Q)words[1,CURRENT]}")\n';

function zshName({ fullName }: CommandNode): string {
  return `_${fullName.replaceAll(' ', '_')}`;
}

function zshOption({ names, description, value, choices, flags }: OptionNode): string {
  const optional = flags.includes('[') ? ':' : '';
  const argument =
    value === null
      ? ''
      : `:${optional}${value.toLowerCase()}:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}`;
  const exclusive = names.length > 1 ? `'(${names.join(' ')})'{${names.join(',')}}` : (names[0] ?? '');
  return `${exclusive}${quote(`[${zshWords(description)}]${argument}`)}`;
}

function zshArgument({ name, choices, file, asked, variadic }: ArgumentNode, place: number): string {
  const files = file ? '_files' : ' ';
  const offers = file ? '_ingestd_ask_or_files' : '_ingestd_ask';
  const action = choices.length > 0 ? `(${choices.join(' ')})` : asked ? offers : files;
  return quote(`${variadic ? '*' : place}:${name}:${action}`);
}

/** Colons and brackets mean something in a specification. */
function zshWords(text: string): string {
  return text.replaceAll(':', ' -').replaceAll(/[[\]]/g, '');
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

const fishAsking = '(ingestd __complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)';

function fishArguments({ arguments: places }: CommandNode): readonly string[] {
  const choices = places.flatMap((place) => place.choices);
  if (choices.length > 0) return [`-a ${fishQuote(choices.join(' '))}`];
  return [
    ...(places.some(({ asked }) => asked) ? [`-a ${fishQuote(fishAsking)}`] : []),
    ...(places.some(({ file }) => file) ? ['-F'] : []),
  ];
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
