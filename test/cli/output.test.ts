import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { program } from '../support/processes/program.ts';
import { folderOfAllTests } from '../support/folder-of-each-test.ts';

const folder = folderOfAllTests();

/** Runs the built program as `"$@"` of a line of shell. */
function through(line: string, ...args: string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', line, 'bash', process.execPath, program, ...args],
      { cwd: folder.path },
      (_error, _stdout, stderr) => resolve({ code: child.exitCode ?? -1, stderr }),
    );
  });
}

// Without a handler the signal of the limit would end the process.
const survivesLimit = `export NODE_OPTIONS='--import="data:text/javascript,process.on(\\"SIGXFSZ\\",()=>{})"'`;

describe('standard output', () => {
  it('that a full disk does not take is an error, with the reason', async () => {
    const { code, stderr } = await through('exec "$@" >/dev/full', 'ledger', 'export');
    expect(stderr).toContain('ingestd: standard output is incomplete: ENOSPC');
    expect(code).toBe(1);
  });

  it('of which the disk took only the first part is an error too', async () => {
    const { code, stderr } = await through(`${survivesLimit}; ulimit -f 1; exec "$@" >short.txt`, '--help');
    expect((await stat(join(folder.path, 'short.txt'))).size).toBe(1024);
    expect(stderr).toContain('ingestd: standard output is incomplete: EFBIG');
    expect(code).toBe(1);
  });

  it('that is incomplete leaves the exit code of a finding as it is', async () => {
    const { code, stderr } = await through('exec "$@" >/dev/full', 'check');
    expect(stderr).toContain('standard output is incomplete');
    expect(code).toBe(4);
  });

  it('whose reader wants no more is no error', async () => {
    const line = 'set -o pipefail; "$@" | head -c 1 >/dev/null';
    expect(await through(line, '--help')).toEqual({ code: 0, stderr: '' });
  });

  it('appended to a file is whole, behind what was there', async () => {
    await through('exec "$@" >>whole.txt', '--help');
    await through('exec "$@" >>whole.txt', '--help');
    const { code, stderr } = await through('cmp whole.txt <("$@"; "$@")', '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('in one file with standard error stands in the order in which both were written', async () => {
    await folder.write('inbox/a.txt', 'text');
    await folder.write('a.csv', 'folder,path,docId\ninbox,a.txt,1\n');
    const { stderr } = await through('"$@" >both.txt 2>&1; cat both.txt >&2', 'ledger', 'import', 'a.csv');
    expect(stderr).toMatch(/1 document adopted\.\n.*does not say the sharing mode/);
  });
});
