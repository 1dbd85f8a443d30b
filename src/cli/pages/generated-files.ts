import { PassThrough } from 'node:stream';
import { configurationPage } from '../../config/configuration-page.ts';
import { editorSchema } from '../../config/settings/json-schema.ts';
import { createRedactor } from '../../lib/text/redactor.ts';
import { commandTree } from '../shell/command-tree.ts';
import { manPage } from './man-page.ts';
import { createOutput } from '../output.ts';
import { createProgram } from '../program.ts';
import { troublesPage } from './troubles-page.ts';
import { version } from '../../daemon/version.ts';

/** The files that are made from the settings, the commands and the fixes: path from the project's root → text. `npm run docs` writes them. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const program = createProgram({
    env: {},
    cwd: '/',
    output: createOutput(new PassThrough(), {}),
    complain: () => undefined,
    redactor: createRedactor(),
    progress: null,
    interactive: false,
    exitWith: () => undefined,
    showStacks: () => undefined,
  });
  return new Map([
    ['config/ingestd.schema.json', `${JSON.stringify(editorSchema(), null, 2)}\n`],
    ['docs/configuration.md', configurationPage()],
    ['docs/troubles.md', troublesPage()],
    ['man/ingestd.1', manPage(commandTree(program), version())],
  ]);
}
