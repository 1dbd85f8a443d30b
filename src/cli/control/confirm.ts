import type { CommandContext } from '../context/command-context.ts';

/** Asks on a terminal; elsewhere nobody can be asked, and the answer is yes. */
export async function confirm({ interactive }: CommandContext, question: string): Promise<boolean> {
  if (!interactive) return true;
  const { terminalPrompter } = await import('../setup/prompter.ts');
  return (await terminalPrompter()).confirm(question);
}
