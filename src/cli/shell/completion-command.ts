import { Argument, type Command } from 'commander';
import { bashCompletion } from './bash-completion.ts';
import type { CommandContext } from '../context/command-context.ts';
import { commandTree } from './command-tree.ts';
import { withExamples } from '../with-examples.ts';
import { fishCompletion } from './fish-completion.ts';
import { zshCompletion } from './zsh-completion.ts';

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
