import { raiseWatchLimitCommand } from '../../lib/files/inotify.ts';
import { countWords, numberWords } from '../../lib/text/amounts.ts';
import { errorMessage } from '../../model/errors.ts';
import { finding } from '../../model/report/command-reports.ts';
import type { CheckFinding } from '../../model/report/command-reports.ts';
import type { Settings } from '../../model/settings.ts';
import { version } from '../../config/package-files.ts';
import { check } from '../check/check.ts';
import type { CheckOptions } from '../check/check.ts';
import { connectDaemon } from '../daemon-client.ts';
import { examineMachine } from './examine-machine.ts';
import type { Environment, MachineReport } from './examine-machine.ts';
import { probeAddress } from './probe-address.ts';
import type { AddressReport, CertificateReport } from './probe-address.ts';

/** What `doctor` finds out: everything that a bug report has to say, and no secret. */
export type DoctorReport = ReturnType<typeof reportOf>;

/** What `check --online` finds without signing in, and what there is to say about this machine and the way to the service. */
export async function examine(
  options: Omit<CheckOptions, 'online'>,
  env: Environment,
): Promise<DoctorReport> {
  const { settings } = options;
  const { findings: daemonFindings, daemon } = await examineDaemon(settings.state.dir);
  const machine = await examineMachine(settings, env);
  const addresses = await probeAll(settings);
  const findings = [
    ...(await check({ ...options, signIn: null, online: true })),
    ...daemonFindings,
    ...judgeWatches(machine.inotify),
    ...addresses.flatMap((address) => judgeAddress(address, Date.now())),
  ];
  const { file, service } = settings;
  const about = { configuration: file, mode: service.mode, daemon };
  return reportOf({ about, machine, addresses, findings });
}

/** The same where the configuration is invalid: what the machine alone says. */
export async function examineWithout(problem: string, env: Environment): Promise<DoctorReport> {
  const machine = await examineMachine(null, env);
  const findings = [finding('error', 'configuration', { code: 'configuration', message: problem, fix: '' })];
  const about = { configuration: null, mode: null, daemon: null };
  return reportOf({ about, machine, addresses: [], findings });
}

interface Found {
  readonly about: {
    /** The file; null, as `mode`: it is invalid. */
    readonly configuration: string | null;
    readonly mode: Settings['service']['mode'] | null;
    /** Null: none answers. */
    readonly daemon: Awaited<ReturnType<typeof examineDaemon>>['daemon'];
  };
  readonly machine: MachineReport;
  readonly addresses: readonly AddressReport[];
  readonly findings: readonly CheckFinding[];
}

function reportOf({ about, machine, addresses, findings }: Found) {
  const problems = findings.filter(({ level }) => level === 'error').length;
  const itself = { version: version(), node: process.version, program: process.argv[1] ?? '' };
  return { ok: problems === 0, problems, ingestd: { ...itself, ...about }, ...machine, addresses, findings };
}

async function examineDaemon(stateDir: string) {
  try {
    const client = await connectDaemon(stateDir);
    if (client === null) return { daemon: null, findings: [] };
    const { version, startedAt, state, health } = await client.status();
    return { daemon: { pid: client.pid, version, startedAt, state, health }, findings: [] };
  } catch (error) {
    const message = errorMessage(error);
    return {
      daemon: null,
      findings: [finding('error', 'daemon', { code: 'daemon-silent', message, fix: '' })],
    };
  }
}

async function probeAll({ service }: Settings): Promise<readonly AddressReport[]> {
  if (service.mode === 'embedded') return [];
  const { authUrl, ingestUrl, connectSeconds } = service;
  const isOne = new URL(authUrl).origin === new URL(ingestUrl).origin;
  const probe = (key: 'authUrl' | 'ingestUrl', address: string) =>
    probeAddress(`service.${key}`, address, connectSeconds * 1_000);
  return [await probe('authUrl', authUrl), ...(isOne ? [] : [await probe('ingestUrl', ingestUrl)])];
}

const crowdedShare = 0.8;

function judgeWatches({ watchLimit, used }: MachineReport['inotify']): readonly CheckFinding[] {
  if (watchLimit === null || used === null || used.watches <= watchLimit * crowdedShare) return [];
  return [
    finding('warning', 'inotify', {
      code: 'watch-limit',
      message: `${numberWords(used.watches)} of ${numberWords(watchLimit)} watches are in use`,
      fix: raiseWatchLimitCommand(used.watches),
    }),
  ];
}

const dayMs = 86_400_000;
const warningDays = 14;

/** What is wrong with an address. Whether the token endpoints answer is reported by `check`. */
export function judgeAddress({ subject, error, tls }: AddressReport, now: number): readonly CheckFinding[] {
  const findings = (tls?.chain ?? []).flatMap((certificate) => judgeExpiry(subject, certificate, now));
  if (error === null || subject === 'service.authUrl') return findings;
  return [
    finding('error', subject, {
      code: 'service-unreachable',
      message: `cannot be reached: ${error}`,
      fix: 'Check the address, the network, the proxy (HTTPS_PROXY) and the certificate (NODE_EXTRA_CA_CERTS).',
    }),
    ...findings,
  ];
}

function judgeExpiry(subject: string, certificate: CertificateReport, now: number): readonly CheckFinding[] {
  const days = Math.floor((Date.parse(certificate.validTo) - now) / dayMs);
  if (days > warningDays) return [];
  const message =
    days < 0
      ? `the certificate of ${certificate.subject} has expired (${certificate.validTo})`
      : `the certificate of ${certificate.subject} expires in ${countWords(days, 'day')}`;
  return [
    finding(days < 0 ? 'error' : 'warning', subject, {
      code: 'certificate-expires',
      message,
      fix: 'Whoever runs the service has to renew it. Where it has just been renewed, check this machine’s clock.',
    }),
  ];
}
