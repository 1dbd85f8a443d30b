import { execFile } from 'node:child_process';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * How programs save new `text` to `path`: the program itself where it can be run on this machine without a screen
 * (vim, sed, rsync), else the calls that it makes, in their order.
 */
export const saves = {
  'in place': (path, text) => writeFile(path, text),
  'five edits in a second': async (path, text) => {
    for (let edit = 1; edit <= 5; edit += 1) {
      await writeFile(path, `${text} ${edit}`);
      await delay(200);
    }
  },
  vim: (path, text) =>
    programOr(
      ['vim', '-es', '-u', 'NONE', '-c', `call setline(1, "${text}")`, '-c', 'wq', path],
      async () => {
        await writeFile(join(dirname(path), '.x.txt.swp'), 'swap');
        await rename(path, `${path}~`);
        await writeFile(path, text);
        await rm(`${path}~`);
        await rm(join(dirname(path), '.x.txt.swp'));
      },
    ),
  'vim with a backup file': async (path, text) => {
    await writeFile(join(dirname(path), '4913'), '');
    await rm(join(dirname(path), '4913'));
    await rename(path, `${path}~`);
    await writeFile(path, text);
  },
  Word: async (path, text) => {
    const at = (name) => join(dirname(path), name);
    await writeFile(at('~$report.docx'), 'owner');
    await writeFile(at('~WRD0001.tmp'), text);
    await rename(path, at('~WRL0002.tmp'));
    await rename(at('~WRD0001.tmp'), path);
    await delay(200);
    await rm(at('~WRL0002.tmp'));
    await rm(at('~$report.docx'));
  },
  LibreOffice: async (path, text) => {
    const at = (name) => join(dirname(path), name);
    await writeFile(at('.~lock.figures.ods#'), 'lock');
    await writeFile(at('lu1234abc.osl-tmp'), text);
    await rename(at('lu1234abc.osl-tmp'), path);
    await rm(at('.~lock.figures.ods#'));
  },
  rsync: async (path, text) => {
    const source = join(dirname(dirname(path)), '..', 'rsync-source');
    await writeFile(source, text);
    await programOr(['rsync', '--times', source, path], async () => {
      await writeFile(join(dirname(path), '.x.txt.Ab12Cd'), text);
      await rename(join(dirname(path), '.x.txt.Ab12Cd'), path);
    });
    await rm(source);
  },
  'sed -i': (path, text) =>
    programOr(['sed', '-i', `s/.*/${text}/`, path], async () => {
      await writeFile(join(dirname(path), 'sedAbC123'), text);
      await rename(join(dirname(path), 'sedAbC123'), path);
    }),
  'write and rename': async (path, text) => {
    await writeFile(`${path}.tmp`, text);
    await rename(`${path}.tmp`, path);
  },
  'unlink, and written again after 0.3 s': (path, text) => again(path, text, 300),
  'unlink, and written again after 3 s': (path, text) => again(path, text, 3_000),
  'appended to, with pauses of 1 s': async (path, text) => {
    for (let part = 0; part < 4; part += 1) {
      await appendFile(path, text);
      await delay(1_000);
    }
  },
};

/** A browser's download of a new file. */
export async function download(path) {
  for (let part = 0; part < 4; part += 1) {
    await appendFile(`${path}.crdownload`, `part ${part} `);
    await delay(300);
  }
  await rename(`${path}.crdownload`, path);
}

async function again(path, text, ms) {
  await rm(path);
  await delay(ms);
  await writeFile(path, text);
}

async function programOr([command, ...words], imitate) {
  try {
    await run(command, words);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    await imitate();
  }
}
