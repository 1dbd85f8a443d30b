import type { Command, Option } from 'commander';
import { loadConfiguration } from '../../config/load-configuration.ts';
import type { CommandContext } from '../define-command.ts';

/** The completion script of each shell: it asks the program what may follow, and so fits every version of it. */
export const completionScripts = {
  bash: `# bash completion for ingestd
_ingestd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} offer file
  COMPREPLY=()
  while IFS=$'\\t' read -r offer _; do
    if [[ $offer != :files ]]; then COMPREPLY+=("$offer"); continue; fi
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$cur")
  done < <(ingestd completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o filenames -F _ingestd ingestd
`,
  // For a file `_ingestd` on the fpath, or to be sourced after compinit.
  zsh: `#compdef ingestd
# zsh completion for ingestd
_ingestd() {
  local -a offers
  offers=(\${(f)"$(ingestd completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  [[ -n \${offers[(r):files]} ]] && _files
  offers=(\${offers:#:files})
  offers=("\${(@)offers/$'\\t'/:}")
  (( $#offers )) && _describe ingestd offers
}
if [[ "\${funcstack[1]-}" = _ingestd ]]; then
  _ingestd "$@"
else
  compdef _ingestd ingestd
fi
`,
  fish: `# fish completion for ingestd
function __ingestd_offers
  set -l words (commandline -opc) (commandline -ct)
  ingestd completion fish -- $words[2..-1] 2>/dev/null
end
complete -c ingestd -f -a '(__ingestd_offers | string match -v :files)'
complete -c ingestd -n '__ingestd_offers | string match -q :files' -F
`,
} as const;

/** Stands for the names of files. */
const files = ':files';

const pathArguments: ReadonlySet<string> = new Set(['path', 'paths', 'place', 'file']);

/** `folder remove` calls it a name. */
const folderArguments: ReadonlySet<string> = new Set(['folder', 'place', 'name']);

/** What may stand in the place of the last of the words that are typed: each on a line, with what it is behind a tab. */
export async function offersFor(
  program: Command,
  words: readonly string[],
  { env, cwd }: Pick<CommandContext, 'env' | 'cwd'>,
): Promise<string> {
  const current = words.at(-1) ?? '';
  let file: string | undefined;
  let command = program;
  /** Its value comes next. */
  let valued: Option | undefined;
  for (const word of words.slice(0, -1)) {
    const isValue = valued !== undefined;
    if (valued?.long === '--config') file = word;
    valued = isValue
      ? undefined
      : optionsOf(command).find((one) => one.required && [one.short, one.long].includes(word));
    if (!isValue) command = command.commands.find((child) => child.name() === word) ?? command;
  }
  return (await offers())
    .filter(([name]) => name === files || name.startsWith(current))
    .map((offer) => `${offer.join('\t')}\n`)
    .join('');

  async function offers(): Promise<readonly (readonly [name: string, description?: string])[]> {
    if (valued?.flags.endsWith('<FOLDER>')) return (await folderNames()).map((name) => [name]);
    if (valued !== undefined) return (valued.argChoices ?? [files]).map((name) => [name]);
    if (current.startsWith('-'))
      return optionsOf(command).flatMap(({ short, long, description }) =>
        [short, long].flatMap((name) => (name === undefined ? [] : [[name, description] as const])),
      );
    const ofArguments = command.registeredArguments.map(async (one) => [
      ...(one.argChoices ?? []),
      ...(folderArguments.has(one.name()) ? await folderNames() : []),
      ...(pathArguments.has(one.name()) ? [files] : []),
    ]);
    const values = (await Promise.all(ofArguments)).flat();
    return [
      ...command.commands.map((child) => [child.name(), child.description()] as const),
      ...values.map((name) => [name] as const),
    ];
  }

  async function folderNames(): Promise<readonly string[]> {
    const { settings } = await loadConfiguration({ file, env, cwd, checkFolders: false });
    return settings.folders.map(({ name }) => name);
  }

  function optionsOf(of: Command): readonly Option[] {
    return [...new Set([...of.createHelp().visibleOptions(of), ...program.options])];
  }
}
