import type { LogPort } from '../../model/ports/log-port.ts';
import { fixFor } from '../../model/report/explanations.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { Settings } from '../../model/settings.ts';
import { checkFolder } from './check-folder.ts';
import { checkLedger, checkStateDirectory } from './check-ledger.ts';
import { checkServiceClock } from './check-service-clock.ts';
import { raiseWatchLimitCommand, readWatchLimit } from '../../lib/files/inotify.ts';
import { countWords } from '../../lib/text/amounts.ts';

/** What `check` is given. */
export interface CheckOptions {
  readonly settings: Settings;
  readonly log: LogPort;
  /** Variables of secrets that no source has. */
  readonly missingCredentials: readonly string[];
  /** Secrets that are awkward to keep out of texts, and why. */
  readonly plainSecrets: readonly { readonly variable: string; readonly message: string }[];
  /** What speaks against the token of the HTTP address; null: nothing. */
  readonly httpTokenFault: Pick<CheckFinding, 'subject' | 'message' | 'fix'> | null;
  /** What reading the configuration had to say. */
  readonly warnings: readonly string[];
  /** Asks the service for its clock too. */
  readonly online: boolean;
}

/** Everything that would stand in the way of delivery, each with its fix, `contract.md` section 2. Sends nothing, changes nothing. */
export async function check(options: CheckOptions): Promise<readonly CheckFinding[]> {
  const { settings, log, missingCredentials, warnings, online } = options;
  const ledger = await checkLedger(settings);
  const findings: CheckFinding[] = [
    ...missingCredentials.map(missingCredential),
    ...options.plainSecrets.map(plainSecret),
    ...(options.httpTokenFault === null
      ? []
      : [{ ...options.httpTokenFault, level: 'error', code: 'http-token' } as const]),
    ...warnings.map(configurationWarning),
    ...(await checkStateDirectory(settings.state.dir)),
    ...ledger.findings,
  ];
  let directories = 0;
  for (const folder of settings.folders) {
    const result = await checkFolder(folder, { settings, log, ledger: ledger.ledger });
    findings.push(...result.findings);
    directories += result.watchedDirectories;
  }
  findings.push(...checkWatches(directories));
  if (online) {
    findings.push(
      ...(settings.service.mode === 'embedded' ? [notAsked] : await checkServiceClock(settings.service)),
    );
  }
  return findings;
}

const notAsked: CheckFinding = {
  level: 'info',
  subject: 'service.mode',
  code: 'service-embedded',
  message: 'not checked: the embedded service is part of ingestd',
  fix: '',
};

function missingCredential(variable: string): CheckFinding {
  return {
    level: 'error',
    subject: variable,
    code: 'credential-missing',
    message: 'is not set anywhere',
    fix: `Add ${variable}=… to the .env beside the configuration file (mode 0600), set it in the environment, or set ${variable}_FILE to a file that holds it.`,
  };
}

function plainSecret({ variable, message }: { variable: string; message: string }): CheckFinding {
  return {
    level: 'warning',
    subject: variable,
    code: 'secret-plain',
    message,
    fix: fixFor('secret-plain'),
  };
}

function configurationWarning(warning: string): CheckFinding {
  return { level: 'warning', subject: 'configuration', code: 'configuration', message: warning, fix: '' };
}

/** Part of the limit beyond which other programs of the same user may run out. */
const comfortableShare = 0.8;

/** Compares the directories to be watched with what the kernel allows one user. Says nothing where it does not tell. */
function checkWatches(directories: number): readonly CheckFinding[] {
  const limit = readWatchLimit();
  if (directories <= limit * comfortableShare) return [];
  return [
    {
      level: 'warning',
      subject: 'inotify',
      code: 'watch-limit',
      message: `${countWords(directories, 'directory', 'directories')} to watch, but the kernel allows only ${countWords(limit, 'watch', 'watches')}; the rest will be polled`,
      fix: raiseWatchLimitCommand(directories),
    },
  ];
}
