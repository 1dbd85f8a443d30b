import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../', import.meta.url));

/** The built program. */
export const program = join(project, 'dist/main.js');

/**
 * Puts the program into a directory, with nothing but what it is shipped with, and gives its path: without the packages
 * that it was built with, and for users who cannot enter the directory that this project is in.
 */
export async function copyProgram(directory: string): Promise<string> {
  for (const name of ['dist', 'config', 'systemd', 'package.json'])
    await cp(join(project, name), join(directory, name), { recursive: true });
  return join(directory, 'dist/main.js');
}
