import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of a directory by name. */
export type Image = ReadonlyMap<string, Buffer>;

/** What a directory holds now; the lock left out, as after a crash and its taking over. */
export async function imageOf(dir: string): Promise<Image> {
  const names = (await readdir(dir)).filter((name) => !name.startsWith('lock'));
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name))] as const)),
  );
}

/** Makes a directory hold just these files. */
export async function layOut(dir: string, image: Image): Promise<void> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { mode: 0o700 });
  for (const [name, content] of image) await writeFile(join(dir, name), content, { mode: 0o600 });
}

/** The same files with one of them changed. */
export function withFile(image: Image, name: string, content: Buffer | null): Image {
  const changed = new Map(image);
  if (content === null) changed.delete(name);
  else changed.set(name, content);
  return changed;
}

/** The content of a file that has to be there. */
export function fileIn(image: Image, name: string): Buffer {
  const content = image.get(name);
  if (content === undefined) throw new Error(`no ${name} in ${[...image.keys()].join(', ')}`);
  return content;
}
