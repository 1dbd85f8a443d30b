import * as z from 'zod';

import { checkAddress } from '../lib/server/base-address.ts';
import { parseRedisAddress } from '../lib/server/redis-address.ts';
import type { RedisAddress } from '../lib/server/redis-address.ts';
import { countGlobstars, maxGlobstars } from '../lib/text/globstars.ts';
import type { DeepReadonly } from '../lib/deep-readonly.ts';
import { metadataSchema } from './metadata/metadata.ts';

/** From the least important lines to none. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

// Each key says what it is, for the documentation and for editors; beside that `unit`, and `defaultWords` where the
// default is computed.
const text = () => z.string().min(1).max(4096);
const whole = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum);
const seconds = () => z.number().min(0.1).max(86_400);

/** Messages of these say all that may be shown of the value: it may hold a password. */
const hidden = { hidesValue: true };

const baseAddress = () =>
  text().transform((address, context) => {
    const found = checkAddress(address);
    if ('url' in found) return found.url;
    context.addIssue({ code: 'custom', message: found.fault, params: hidden });
    return z.NEVER;
  });

const redisAddress = () =>
  text().transform((address, context) => {
    const found = parseRedisAddress(address);
    if (found !== null) return found;
    const message =
      'it is not an address of Redis; write it like redis://host:6379, rediss://host:6380 (TLS) or redis+sentinel://host:26379,host:26379/name';
    context.addIssue({ code: 'custom', message, params: hidden });
    return z.NEVER;
  });

/** An address that a browser is given. It has no slash at its end. */
const publicAddress = () =>
  text().transform((address, context) => {
    const url = URL.canParse(address) ? new URL(address) : null;
    const isPlain = url !== null && `${url.origin}${url.pathname}` === url.href;
    if (isPlain && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
    const message =
      'it is not an address of a page; write it like https://host.example/ingestd, without a user name, "?" or "#"';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

const service = z.strictObject({
  mode: z
    .enum(['remote', 'embedded'])
    .default('remote')
    .describe('remote: your service. embedded: the one that ships with ingestd, for trials.'),
  authUrl: baseAddress()
    .optional()
    .describe('Base address of the token endpoints. Required with mode remote.'),
  ingestUrl: baseAddress()
    .optional()
    .describe('Base address of the ingestion operations. Required with mode remote.'),
  documentUrl: z
    .string()
    .max(2_000)
    .regex(
      /^https?:\/\/\S*\{docId\}\S*$/,
      'it is not an address with {docId} in it; write it like https://documents.example/view/{docId}',
    )
    .optional()
    .describe(
      'Where a document can be seen, with {docId} for its id, as https://documents.example/view/{docId}: the status page links there.',
    ),
  requestsPerMinute: whole(1, 1_000_000)
    .default(50)
    .describe('Most requests in any 60 seconds, as the service counts them, including retries.'),
  concurrency: whole(1, 64).default(4).describe('Most requests in flight at the same time.'),
  sendApiKey: z.boolean().default(false).describe('Send x-api-key with ingestion calls too.'),
  revokeOnStop: z.boolean().default(false).describe('Revoke the access token when ingestd stops.'),
  onMissing: z
    .enum(['fail', 'upload'])
    .default('fail')
    .describe('What to do when the service no longer has a document that changed.'),
  connectSeconds: seconds().default(10).meta({ description: 'Longest wait for a connection.', unit: 's' }),
  idleSeconds: seconds()
    .default(60)
    .meta({ description: 'Longest time without a byte in either direction while sending.', unit: 's' }),
  responseSeconds: seconds()
    .default(120)
    .meta({ description: 'Longest wait for an answer, from the last byte sent.', unit: 's' }),
  maxFileMegabytes: z
    .number()
    .positive()
    .max(1_048_576)
    .default(150)
    .meta({ description: 'Larger files are refused before a byte is sent.', unit: 'MiB' }),
  maxKilobytesPerSecond: z.number().min(1).max(100_000_000).optional().meta({
    description: 'Upload bandwidth of all requests together.',
    unit: 'kB/s',
    defaultWords: 'unlimited',
  }),
  documentOwner: z
    .enum(['configured', 'always'])
    .default('configured')
    .describe(
      'With always, a delete request names the signed-in user as owner when the metadata names none.',
    ),
});

const folderNameRule =
  'it is not a folder name; use 1 to 100 characters without "/" or control characters, and without spaces at the ends';

/** A folder's name: 1 to 100 characters, no `/`, no control characters, no space at either end. */
export const folderNameSchema = z
  .string()
  .min(1)
  .max(100, folderNameRule)
  .regex(/^(?!\s)[^/\p{Cc}\p{Cs}\u2028\u2029]+(?<!\s)$/u, folderNameRule);

const folder = z.strictObject({
  name: folderNameSchema.describe(
    'A unique name. The ledger finds the folder by its name or its path, so change only one of them at a time.',
  ),
  path: text().describe('The directory, relative to the configuration file.'),
  metadata: metadataSchema.prefault({}).describe('Defaults for every document: the fields of a sidecar.'),
  sidecar: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('With required, a document waits for its sidecar.'),
  title: z
    .enum(['fileStem', 'none'])
    .default('fileStem')
    .describe(
      'Title of a document whose metadata has none: its file name without the extension, or no title.',
    ),
  createdTimestamp: z
    .enum(['modified', 'none'])
    .default('modified')
    .describe('createdTimestamp: the modification time of the file, or none.'),
  names: z
    .enum(['reject', 'rewrite'])
    .default('reject')
    .describe('A file name with more than one dot: reject it, or replace the extra dots with underscores.'),
  onRemove: z
    .enum(['delete', 'keep'])
    .default('delete')
    .describe(
      'What happens at the service when a file is removed. After a change from keep to delete, deletions are held for approval while files are missing that may have been kept.',
    ),
  include: z
    .array(
      z
        .string()
        .min(1)
        .max(1000)
        .refine((pattern) => countGlobstars(pattern) <= maxGlobstars, {
          message: `has more than ${maxGlobstars} "**"; write it as several patterns`,
        }),
    )
    .max(1000)
    .refine((patterns) => patterns.length === 0 || patterns.some((pattern) => !/^[!#]/.test(pattern)), {
      message: 'the patterns include nothing; begin with what to include, for example "*.pdf"',
    })
    .default([])
    .describe(
      'gitignore patterns. If set, only matching files are documents; attachments do not have to match.',
    ),
  ignore: z
    .array(z.string().max(1000))
    .max(1000)
    .default([])
    .describe('gitignore patterns, in addition to .ingestignore files in the folder.'),
  attachments: z
    .enum(['below', 'folder'])
    .default('below')
    .describe(
      "Where a sidecar's attachments may lie: in the document's directory and below, or anywhere in the folder.",
    ),
  sidecarOwner: z
    .enum(['any', 'same'])
    .default('any')
    .describe(
      'With same, a sidecar, .meta.json or .ingestignore is used only if its owner is the owner of the document (or directory) or root, and so are its attachments.',
    ),
  followSymlinks: z
    .boolean()
    .default(false)
    .describe(
      'Take a symbolic link that stays inside the folder for what it leads to, which is sent once, from its real place. Without it, every link is listed as skipped.',
    ),
  watch: z
    .enum(['auto', 'native', 'polling'])
    .default('auto')
    .describe('How changes are detected. auto polls network and virtual file systems.'),
});

const state = z.strictObject({
  dir: text().optional().meta({
    description:
      'Directory of the ledger, relative to the configuration file. Use one for each service and user: another address of the service is refused, unless it is only another port of this machine, and another user is not noticed.',
    defaultWords: '`$STATE_DIRECTORY`, else `$XDG_STATE_HOME/ingestd`, else `~/.local/state/ingestd`',
  }),
  mustExist: z
    .boolean()
    .default(false)
    .describe(
      'With true, run and sync refuse to begin a new ledger: for containers, whose volume may be lost. The first start needs false.',
    ),
});

const timing = z.strictObject({
  settleMs: whole(0, 3_600_000)
    .default(2000)
    .meta({ description: 'A file is ready when it has not changed for this long.', unit: 'ms' }),
  removeGraceMs: whole(0, 3_600_000).default(5000).meta({
    description:
      'A removed file may come back within this time (a move, or a save by rename) before its document is deleted, or goes on with a copy of it.',
    unit: 'ms',
  }),
  rescanMinutes: z
    .number()
    .min(0.01)
    .max(10_080)
    .default(15)
    .meta({ description: 'Time between two full scans of a folder.', unit: 'min' }),
  pollSeconds: seconds()
    .default(30)
    .meta({ description: 'Time between two scans of a folder that is polled.', unit: 's' }),
  incompleteMinutes: z.number().min(0).max(10_080).default(10).meta({
    description:
      'A document that is not whole by its own format (a PDF without its end, a cut docx) waits until it is, or has not changed for this long while ingestd runs. 0: it does not wait.',
    unit: 'min',
  }),
  stopSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(30)
    .meta({ description: 'Requests in flight may take this long when ingestd stops.', unit: 's' }),
});

const safety = z.strictObject({
  maxDeletePercent: z.number().min(0).max(100).default(50).meta({
    description:
      "Deletions are held when, within ten minutes, they exceed this share of a folder's documents…",
    unit: '%',
  }),
  maxDeleteCount: whole(0, 1_000_000_000).default(10).describe('…and also exceed this number.'),
  inDoubt: z
    .enum(['retry', 'hold'])
    .default('retry')
    .describe('An upload whose answer was lost: send it again, or wait for a person.'),
});

const http = z.strictObject({
  host: z
    .string()
    .regex(
      /^[\p{L}\p{N}._:-]{1,253}$/u,
      'it is no address or host name; leave out the port, which has a key of its own',
    )
    .default('127.0.0.1')
    .describe('Address of the status page. Any address but loopback requires INGESTD_HTTP_TOKEN.'),
  port: z
    .union([whole(0, 65_535), z.literal(false)])
    .default(7420)
    .describe('0: any free port. false: no status page.'),
  publicUrl: publicAddress()
    .optional()
    .describe(
      'Address under which a reverse proxy shows the status page, with its path. Requires INGESTD_HTTP_TOKEN.',
    ),
});

const notify = z.strictObject({
  command: z
    .array(text())
    .max(100)
    .default([])
    .describe(
      'Program and arguments, run without a shell when something needs a person. It gets the event as JSON on standard input.',
    ),
  afterMinutes: z.number().min(0).max(1440).default(5).meta({
    description: 'Problems are reported when they have lasted this long, all of them in one notification.',
    unit: 'min',
  }),
});

const cluster = z.strictObject({
  redisUrl: redisAddress()
    .optional()
    .describe(
      'redis://host:port, rediss:// for TLS, redis+sentinel://host:port,…/name for Sentinel. With a password it is a secret: INGESTD_REDIS_URL.',
    ),
  account: z
    .string()
    .regex(/^[\w.@-]{1,100}$/, 'it is not 1 to 100 letters, digits, and . _ @ -')
    .optional()
    .meta({
      description: 'Names the shared budget. Hosts with one account need the same service.requestsPerMinute.',
      defaultWords: 'derived from the service and the user',
    }),
  host: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'it is not 1 to 100 letters, digits, and . _ -')
    .optional()
    .meta({
      description: 'Names this host among the others, each differently.',
      defaultWords: "host name and the state directory's id",
    }),
  standBy: z
    .boolean()
    .default(false)
    .describe('true: hosts may share a state directory on a shared disk; one works, the others stand by.'),
});

const log = z.strictObject({
  level: z.enum(logLevels).default('info').describe('The lowest level that is logged.'),
  format: z
    .enum(['auto', 'json', 'pretty'])
    .default('auto')
    .describe('auto: pretty on a terminal, JSON elsewhere.'),
  keepDays: z
    .number()
    .min(1)
    .max(3_650)
    .default(30)
    .meta({ description: 'How far `ingestd log` goes back.', unit: 'days' }),
  keepMegabytes: z
    .number()
    .min(1)
    .max(10_000)
    .default(64)
    .meta({ description: 'Most disk space for what `ingestd log` shows.', unit: 'MiB' }),
});

/** The configuration file: every key with its rule, its default and its one line of text. */
export const settingsSchema = z.strictObject({
  service: service.prefault({}),
  folders: z.array(folder).min(1).max(1000),
  state: state.prefault({}),
  timing: timing.prefault({}),
  safety: safety.prefault({}),
  http: http.prefault({}),
  notify: notify.prefault({}),
  cluster: cluster.optional(),
  log: log.prefault({}),
});

/** The configuration file as it was read: paths as written, addresses without a slash at the end. */
export type SettingsInput = DeepReadonly<z.output<typeof settingsSchema>>;

export type FolderSettings = SettingsInput['folders'][number];
export type TimingSettings = SettingsInput['timing'];
export type SafetySettings = SettingsInput['safety'];
export type LogLevel = SettingsInput['log']['level'];

/** Addresses are without a slash at the end; empty in embedded mode until the service runs. */
export interface ServiceSettings extends Omit<SettingsInput['service'], 'authUrl' | 'ingestUrl'> {
  readonly authUrl: string;
  readonly ingestUrl: string;
}

/** Many hosts with one account. */
export interface ClusterSettings extends Omit<NonNullable<SettingsInput['cluster']>, 'redisUrl'> {
  readonly redis: RedisAddress;
}

/** The configuration, read and validated, paths absolute. */
export interface Settings extends Omit<SettingsInput, 'service' | 'state' | 'cluster'> {
  /** The file it came from, absolute. */
  readonly file: string;
  readonly service: ServiceSettings;
  readonly state: SettingsInput['state'] & { readonly dir: string };
  /** Null: this host is alone. */
  readonly cluster: ClusterSettings | null;
}

/** The five secrets; never part of the configuration file. */
export interface Credentials {
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly username: string;
  readonly password: string;
}
