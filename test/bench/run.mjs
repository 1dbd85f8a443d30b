// npm run bench [-- names… --write --files N --rounds N --idle-seconds N]: every measurement of this directory, or
// those named, in one table and in bench-results.json; the options go to `run` of each.
// A measurement is a file NAME.bench.mjs whose `run` returns rows:
//   what      in words
//   measured  a number in `unit`
//   against   what it stands beside in the same run: a number, or words
//   ratio     measured to against, or null
//   limit     what it must reach, in words, or null
//   ok        whether it does; null where nothing is asked
import { readdir, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';

const here = new URL('./', import.meta.url);
const suffix = '.bench.mjs';
const columns = ['what', 'measured', 'against', 'ratio', 'limit', 'ok'];

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    files: { type: 'string' },
    rounds: { type: 'string' },
    'idle-seconds': { type: 'string' },
  },
});
const options = {
  write: values.write,
  files: count('files'),
  rounds: count('rounds'),
  idleSeconds: count('idle-seconds'),
};
const known = (await readdir(here))
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length))
  .sort();
const strange = wanted.filter((name) => !known.includes(name));
if (strange.length > 0) {
  process.stderr.write(`there is no ${strange.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}

const machine = {
  node: process.version,
  cores: availableParallelism(),
  memoryMegabytes: Math.round(totalmem() / 1e6),
};
const results = [];
for (const name of wanted.length > 0 ? wanted : known) {
  process.stderr.write(`${name}…\n`);
  results.push(...(await rowsOf(name)));
  const report = { at: new Date().toISOString(), machine, rows: results };
  await writeFile('bench-results.json', `${JSON.stringify(report, null, 2)}\n`);
}
process.stdout.write(`${table(results)}\n`);
process.exitCode = results.some(({ ok }) => ok === false) ? 1 : 0;

function count(name) {
  const text = values[name];
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  process.stderr.write(`--${name} takes a number from 1 on\n`);
  process.exit(2);
}

/** A measurement that goes wrong is a row too: the others are worth having. */
async function rowsOf(name) {
  try {
    const { run } = await import(new URL(`${name}${suffix}`, here).href);
    const rows = await run(options);
    return rows.map((row) => ({ bench: name, ...row }));
  } catch (error) {
    process.stderr.write(`${error.stack}\n`);
    return [{ bench: name, what: 'could not be measured', measured: null, limit: null, ok: false }];
  }
}

function table(rows) {
  const texts = rows.map((row) => ({
    what: `${row.bench}: ${row.what}`,
    measured: `${text(row.measured)} ${row.unit ?? ''}`.trim(),
    against: text(row.against),
    ratio: text(row.ratio),
    limit: text(row.limit),
    ok: row.ok === null || row.ok === undefined ? '' : row.ok ? 'yes' : 'NO',
  }));
  const widths = columns.map((column) => Math.max(column.length, ...texts.map((row) => row[column].length)));
  const line = (row) => columns.map((column, index) => row[column].padEnd(widths[index])).join('  ');
  const head = Object.fromEntries(columns.map((column) => [column, column]));
  return [head, ...texts].map(line).join('\n');
}

function text(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
