/**
 * The page `docs/conformance.md`: one row per statement of the interface, each with the test that holds it.
 * @param {readonly {section: string, statement: string, service?: string, client?: string}[]} rows
 */
export function conformancePage(rows) {
  const cells = [
    ['section', 'statement', 'on the embedded service', 'on the client'],
    ...rows.map(({ section, statement, service, client }) => [
      section,
      statement,
      named(service),
      named(client),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = cells;
  return `${[
    '# Conformance',
    '',
    'One row per statement of the service’s interface that binds somebody, and the test that holds it: a file below `test/` and a part of its title.',
    'A cell that is empty is the other side’s affair alone. `npm run docs` writes this page from `test/embedded/interface/conformance.json`.',
    '',
    line(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...body.map(line),
  ].join('\n')}\n`;
}

function named(test) {
  if (test === undefined) return '';
  const [file, ...title] = test.split(': ');
  return `\`${file}\` "${title.join(': ').replaceAll('|', '\\|')}"`;
}
