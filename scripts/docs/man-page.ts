import { PassThrough } from 'node:stream';
import type { Command, Option } from 'commander';
import { createRedactor } from '../../src/lib/text/redactor.ts';
import { version } from '../../src/config/package-files.ts';
import { settingKeys } from './setting-keys.ts';
import { secretVariables } from '../../src/config/secrets/secret-names.ts';
import { createOutput } from '../../src/cli/output.ts';
import { fullName, withSubcommands } from '../../src/cli/define-command.ts';
import { createProgram } from '../../src/cli/program.ts';

/** The manual page ingestd(1) in man's own markup, from the commands and the settings. */
export function manPage(): string {
  const root = program();
  return [
    `.TH INGESTD 1 "" "ingestd ${version()}" "User Commands"`,
    '.SH NAME',
    `ingestd \\- sync watched folders to a document ingestion service`,
    '.SH SYNOPSIS',
    '.B ingestd',
    '.RI [ command ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    roff(
      'ingestd watches folders. Files put into them are uploaded to a document ingestion service, edits become modify calls, removals become delete calls, and a ledger remembers which path is which document. Disk is what should be, the ledger is what is, and the difference is the work.',
    ),
    '.SH COMMANDS',
    ...withSubcommands(root)
      .filter((command) => command !== root && command.commands.length === 0)
      .flatMap(commandSection),
    '.SH OPTIONS',
    roff('Every command accepts these.'),
    ...root.createHelp().visibleOptions(root).flatMap(optionRows),
    '.SH CONFIGURATION',
    roff(
      'The first of: the file of --config, $INGESTD_CONFIG, ./ingestd.yaml, $XDG_CONFIG_HOME/ingestd/ingestd.yaml, /etc/ingestd/ingestd.yaml, and last the trial configuration that ships with ingestd. Every key can be set from the environment, which wins over the file; a .env beside the file is read too.',
    ),
    ...settingKeys().flatMap((key) => [
      '.TP',
      `.BR ${roff(key.key)} " ${roff([key.type, ...(key.unit === null ? [] : [`in ${key.unit}`])].join(', ')).replaceAll('"', '""')}"`,
      roff(
        `${key.description}${key.defaultText === null ? '' : ` Default: ${key.defaultText.replaceAll('`', '')}.`} (${key.environment})`,
      ),
    ]),
    '.SH ENVIRONMENT',
    ...Object.values(secretVariables).flatMap((name) => ['.TP', `.B ${name}`, roff(secretWords(name))]),
    '.TP',
    '.B HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS',
    'Used for connections to the service.',
    '.TP',
    '.B NO_COLOR, FORCE_COLOR',
    'No colours; colours where there is no terminal, too.',
    '.TP',
    '.B INGESTD_TRUST_CONFIG=1',
    'Use a configuration or secrets that another user could have changed.',
    '.SH EXIT STATUS',
    ...exitRows.flatMap(([code, words]) => ['.TP', `.B ${code}`, roff(words)]),
    '.SH SIGNALS',
    '.TP',
    '.B SIGTERM, SIGINT',
    'Accept no new work, finish the requests in flight, save the ledger and exit. A second signal exits at once.',
    '.TP',
    '.B SIGHUP',
    'Read the configuration again; a changed one takes effect when the requests in flight have finished. Rescan the folders and retry the credentials. After the terminal has closed: stop, as with SIGTERM.',
    '.SH FILES',
    '.TP',
    '.I report.pdf.meta.json, report.meta.json',
    roff(
      'The sidecar of report.pdf: its metadata. A file .meta.json holds defaults for its directory and below.',
    ),
    '.TP',
    '.I report.pdf.attachments/',
    roff('The attachments of report.pdf.'),
    '.TP',
    '.I .ingestignore',
    'Patterns of files that are never documents, as in .gitignore.',
    '',
  ].join('\n');
}

function program(): Command {
  return createProgram({
    env: {},
    cwd: '/',
    output: createOutput(new PassThrough(), {}),
    complain: () => undefined,
    writeError: () => undefined,
    redactor: createRedactor(),
    progress: null,
    interactive: false,
    exitWith: () => undefined,
  });
}

const exitRows = [
  [
    '0',
    'Success. run: stopped cleanly. health: the daemon is running and making progress. auth login: the credentials were accepted.',
  ],
  [
    '1',
    'An unexpected error, or a damaged ledger. health: no daemon is running, or it is not making progress. auth login: the service could not be reached.',
  ],
  ['2', 'Usage or configuration: the message names the key, the value and the fix.'],
  [
    '3',
    'The service refused the credentials: sync, auth login, auth revoke, init. run keeps running and retries.',
  ],
  [
    '4',
    'sync: documents failed or are held. check, doctor: problems found. plan: a place could not be read.',
  ],
  ['5', 'Another ingestd holds the state directory.'],
  ['130', 'A question was ended by Ctrl+C.'],
] as const;

function commandSection(command: Command): string[] {
  return [
    `.SS ${verbatim(`${fullName(command)} ${command.usage()}`)}`,
    verbatim(`${command.description()}.`),
    ...command.registeredArguments.flatMap((argument) => [
      '.TP',
      `.I ${verbatim(argument.name())}`,
      roff(argument.description),
    ]),
    ...command.options.flatMap(optionRows),
  ];
}

function optionRows({ flags, description }: Option): string[] {
  return ['.TP', `.B ${verbatim(flags)}`, roff(description)];
}

function secretWords(name: string): string {
  const uses: Readonly<Record<string, string>> = {
    INGESTD_HTTP_TOKEN: 'Token for the HTTP address; required when it is not a loopback address.',
    INGESTD_NOTIFY_WEBHOOK: 'The address that notifications are posted to.',
    INGESTD_REDIS_URL: 'The address of Redis, with its password, where many hosts share an account.',
  };
  return `${uses[name] ?? 'One of the five secrets of the service.'} Also ${name}_FILE, a file that holds it, and a file of that name in $CREDENTIALS_DIRECTORY.`;
}

/**
 * What is typed as it stands: else man makes typographic quotes and accents of these, and a macro takes quotes for its
 * own.
 */
function verbatim(text: string): string {
  const names: Readonly<Record<string, string>> = { '"': 'dq', "'": 'aq', '`': 'ga', '^': 'ha', '~': 'ti' };
  return roff(text).replaceAll(/["'`^~]/g, (character) => `\\(${names[character] ?? ''}`);
}

/** Backslashes, dashes and leading dots mean something to man. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replaceAll('’', "'")
    .replaceAll(/^([.'])/gm, '\\&$1');
}
