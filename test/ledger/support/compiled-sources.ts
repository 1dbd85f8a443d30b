import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { transform } from '@swc/core';

const sources = resolve(import.meta.dirname, '../../../src');

/**
 * Compiles rooms into a directory, so that processes of their own can run them as they are now. Gives the directory
 * that stands for `src`.
 */
export async function compileSources(into: string, rooms: readonly string[]): Promise<string> {
  const target = join(into, 'src');
  for (const room of rooms) {
    const names = await readdir(join(sources, room), { recursive: true });
    for (const name of names.filter((name) => name.endsWith('.ts'))) {
      const { code } = await transform(await readFile(join(sources, room, name), 'utf8'), {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
      });
      const file = join(target, room, name.replace(/\.ts$/, '.js'));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(
        file,
        code
          .replaceAll(/(from\s+'\.{1,2}\/[^']+)\.ts'/g, "$1.js'")
          .replaceAll(/(from\s+"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"'),
      );
    }
  }
  await writeFile(join(into, 'package.json'), '{"type":"module"}');
  await symlink(resolve(sources, '../node_modules'), join(into, 'node_modules'));
  return target;
}
