import { flattened, globalOptions, type CommandNode, type OptionNode } from './command-tree.ts';

/** A zsh completion function: for a file `_ingestd` on the fpath, or to be sourced after compinit. */
export function zshCompletion(root: CommandNode): string {
  return `#compdef ingestd
# zsh completion for ingestd
${flattened(root)
  .map((node) => functionOf(node, root))
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
if [[ "\${funcstack[1]-}" = ${nameOf(root)} ]]; then
  ${nameOf(root)} "$@"
else
  compdef ${nameOf(root)} ingestd
fi
`;
}

function functionOf(node: CommandNode, root: CommandNode): string {
  const globals = node === root ? [] : globalOptions(root);
  const lines = [...node.options, ...globals].map((option) => `    ${specOf(option)}`);
  if (node.commands.length === 0) {
    lines.push(...argumentSpecs(node).map((spec) => `    ${spec}`));
    return `${nameOf(node)}() {\n  _arguments -s \\\n${lines.join(' \\\n')}\n}`;
  }
  const described = node.commands.map(
    ({ name, description }) => `    ${quote(`${name}:${plain(description)}`)}`,
  );
  const calls = node.commands.map((child) => `        ${child.name}) ${nameOf(child)} ;;`);
  return `${nameOf(node)}() {
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

function nameOf({ fullName }: CommandNode): string {
  return `_${fullName.replaceAll(' ', '_')}`;
}

function specOf({ names, description, value, choices, flags }: OptionNode): string {
  const text = `[${plain(description)}]`;
  const optional = flags.includes('[') ? ':' : '';
  const argument =
    value === null
      ? ''
      : `:${optional}${value.toLowerCase()}:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}`;
  const exclusive = names.length > 1 ? `'(${names.join(' ')})'{${names.join(',')}}` : (names[0] ?? '');
  return `${exclusive}${quote(`${text}${argument}`)}`;
}

function argumentSpecs({ command, arguments: names }: CommandNode): string[] {
  return command.registeredArguments.map((argument, index) => {
    const choices = argument.argChoices;
    const action = choices === undefined ? actionOf(names[index]) : `(${choices.join(' ')})`;
    return quote(`${argument.variadic ? '*' : index + 1}:${argument.name()}:${action}`);
  });
}

function actionOf(argument: CommandNode['arguments'][number] | undefined): string {
  if (argument?.asked === true) return argument.file ? '_ingestd_ask_or_files' : '_ingestd_ask';
  return argument?.file === true ? '_files' : ' ';
}

/** Colons and brackets mean something in a specification. */
function plain(text: string): string {
  return text.replaceAll(':', ' -').replaceAll(/[[\]]/g, '');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
