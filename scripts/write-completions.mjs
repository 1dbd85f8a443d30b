// Writes completions/, one script a shell, under the names that shells look for. They come from the program itself.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = { bash: 'ingestd', zsh: '_ingestd', fish: 'ingestd.fish' };

mkdirSync(`${root}completions`, { recursive: true });
for (const [shell, name] of Object.entries(names)) {
  const text = execFileSync(process.execPath, [`${root}dist/main.js`, 'completion', shell]);
  writeFileSync(`${root}completions/${name}`, text);
}
