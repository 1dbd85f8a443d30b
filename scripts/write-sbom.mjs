// Writes dist/sbom.cdx.json: what the program is made of, from the lock file alone, as CycloneDX. npm generates it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const words = ['--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const text = execFileSync('npm', ['sbom', ...words], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const sbom = JSON.parse(text);
// `--omit=dev` would leave out what both the program and a tool of development need.
const development = new Set(
  sbom.components
    .filter(({ properties }) =>
      properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true'),
    )
    .map((component) => component['bom-ref']),
);
sbom.components = sbom.components.filter((component) => !development.has(component['bom-ref']));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => !development.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((name) => !development.has(name)) }));
// npm takes the name of the directory.
sbom.metadata.component.name = name;
mkdirSync(`${root}dist`, { recursive: true });
writeFileSync(`${root}dist/sbom.cdx.json`, `${JSON.stringify(sbom, null, 2)}\n`);
