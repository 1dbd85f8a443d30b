import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { CommanderError } from 'commander';
import type { Command } from 'commander';
import { withLocalTimes } from '../lib/text/amounts.ts';
import { closest } from '../lib/text/closest.ts';
import { printable, shellWord } from '../lib/text/printable.ts';
import { createRedactor } from '../lib/text/redactor.ts';
import { secretVariables } from '../config/secrets/secret-names.ts';
import {
  ConfigurationError,
  IngestdError,
  LedgerUnwritableError,
  errorMessage,
  exitCodes,
} from '../model/errors.ts';
import { fileFault } from '../model/report/file-fault.ts';
import { writeStandardError } from '../log/standard-error.ts';
import { fullName, withSubcommands } from './define-command.ts';
import type { CommandContext, GlobalFlags } from './define-command.ts';
import { createOutput } from './output.ts';
import { createProgram } from './program.ts';

// Another state.dir would be no way out: its ledger knows no document, and all are uploaded a second time.
const unwritableFix = 'free up space in the state directory, or make it writable for this user';

/** The process a command line runs in. */
export interface Surroundings {
  /** Without the program's own name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Takes whole lines for standard error, the log's too. Default: the process's own. */
  readonly writeError?: (text: string) => void;
}

/** Runs one command line and gives the exit code. Never rejects: errors go to standard error in words. */
export async function runCli({
  args,
  env,
  cwd,
  stdin,
  stdout,
  stderr,
  writeError = writeStandardError,
}: Surroundings) {
  const redactor = createRedactor(Object.values(secretVariables).flatMap((name) => env[name] ?? []));
  // Whoever typed npx or npm start may have no ingestd in the PATH, and a command speaks for one configuration: a text
  // names its commands as they are to be typed.
  const asTyped = (text: string): string => {
    const npx = env['npm_command'] === 'exec' || env['npm_lifecycle_event'] === 'start' ? 'npx ' : '';
    const option = configurationOption(program.opts(), env, cwd);
    return text.replaceAll(named, (words) => `${npx}${words}${option}`);
  };
  const complain = (message: string): void => {
    for (const line of redactor.redact(asTyped(withLocalTimes(message))).split('\n'))
      writeError(`ingestd: ${printable(line)}\n`);
  };
  const output = createOutput(stdout, env, asTyped);
  let exitCode: number = exitCodes.ok;
  const context: CommandContext = {
    env,
    cwd,
    output,
    complain,
    writeError,
    redactor,
    progress: stderr.isTTY === true && env['TERM'] !== 'dumb' ? stderr : null,
    interactive: stdin.isTTY === true && stdout.isTTY === true,
    exitWith: (code) => {
      exitCode = code;
    },
  };
  const lastWords = (error: unknown): void => {
    process.exit(report(error, { complain, stacks: true }));
  };
  process.on('uncaughtException', lastWords);
  const program = createProgram(context);
  const names = withSubcommands(program).map(fullName).slice(1).toReversed();
  // In no path and no name of a file.
  const named = new RegExp(`(?<![\\w./-])(?:ingestd --help|${names.join('|')})(?![./-]?\\w)`, 'g');
  for (const command of withSubcommands(program)) quieten(command, context);
  try {
    await program.parseAsync(understood(program, args), { from: 'user' });
  } catch (error) {
    const { logLevel = '' } = program.opts<{ logLevel?: string }>();
    exitCode = report(error, { complain, stacks: ['debug', 'trace'].includes(logLevel) });
  } finally {
    process.off('uncaughtException', lastWords);
  }
  const failure = await output.flush();
  if (failure === undefined) return exitCode;
  complain(`standard output is incomplete: ${failure.message}; free up space, or write it to another place`);
  return exitCode === exitCodes.ok ? exitCodes.unforeseen : exitCode;
}

/** What was typed to name the configuration; empty where it would be found without. */
function configurationOption({ config }: GlobalFlags, env: Surroundings['env'], cwd: string): string {
  const isUsual = !env['INGESTD_CONFIG'] && resolve(cwd, config ?? '') === join(cwd, 'ingestd.yaml');
  if (config === undefined || isUsual) return '';
  return ` --config ${shellWord(config)}`;
}

/** Commander throws instead of ending the process, and writes where the context says. */
function quieten(command: Command, { output, complain, writeError }: CommandContext): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => output.raw(text),
    writeErr: (text) => writeError(text.split('\n').map(printable).join('\n')),
    outputError: (text) => {
      const message = text
        .trim()
        .replace(/^error: /, '')
        .replaceAll('\n', ' ')
        .replace(/\.$/, '');
      complain(`${message}; for usage run ${fullName(command)} --help`);
    },
  });
}

/** Else a word that is no command would be an argument of the default one, and `help folder add` be `help folder`. */
function understood(program: Command, args: readonly string[]): readonly string[] {
  const { operands } = program.parseOptions([...args]);
  const word = operands[0] === 'help' ? (operands[1] ?? 'help') : operands[0];
  const names = ['help', ...program.commands.flatMap((command) => [command.name(), ...command.aliases()])];
  const isOfSubcommand = operands[0] === 'help' && operands.length > 2;
  if (word === undefined || names.includes(word))
    return isOfSubcommand ? [...operands.slice(1), '--help'] : args;
  const near = closest(word, names);
  throw new ConfigurationError(
    `"${word}" is not a command; ${near === undefined ? 'ingestd --help lists them' : `did you mean ${near}?`}`,
  );
}

function report(
  thrown: unknown,
  { complain, stacks }: { complain: (message: string) => void; stacks: boolean },
): number {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const error = fileFault(thrown);
  if (error instanceof IngestdError && error.exitCode === exitCodes.interrupted) return error.exitCode;
  complain(errorMessage(error));
  // The system's word alone says what is wrong, not what to do.
  if (error instanceof LedgerUnwritableError) complain(unwritableFix);
  if (error instanceof IngestdError) return error.exitCode;
  if (stacks && typeof error === 'object' && error !== null && 'stack' in error)
    complain(String(error.stack));
  return exitCodes.unforeseen;
}
