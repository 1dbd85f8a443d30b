// npm run fuzz [-- --seconds N name…]: the properties of this directory, for N seconds each (60 unless said otherwise).
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' } },
});
if (!/^[1-9]\d*$/.test(values.seconds)) {
  process.stderr.write('--seconds takes a number from 1 on\n');
  process.exit(2);
}
const words = positionals.length > 0 ? positionals.map((name) => `test/fuzz/${name}`) : ['test/fuzz'];
const { status } = spawnSync('npm', ['run', '--silent', 'jest', '--', ...words], {
  stdio: 'inherit',
  env: { ...process.env, FUZZ_SECONDS: values.seconds },
});
process.exit(status ?? 1);
