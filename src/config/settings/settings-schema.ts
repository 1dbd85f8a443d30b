import * as z from 'zod';
import { countGlobstars, maxGlobstars } from '../../lib/text/globstars.ts';
import { metadataSchema } from '../../model/metadata/metadata-schema.ts';
import { logLevels } from '../../model/settings.ts';

/** What a key is called beside its value: shown in the documentation. */
interface KeyNotes {
  /** One line, for the table and the editor. */
  readonly description: string;
  readonly unit?: string;
  /** Words for a default that is computed. */
  readonly defaultWords?: string;
}

const text = () => z.string().min(1).max(4096);
const whole = (minimum: number, maximum: number) => z.int().min(minimum).max(maximum);
const seconds = () => z.number().min(0.1).max(86_400);

const service = z.strictObject({
  mode: z
    .enum(['remote', 'embedded'])
    .default('remote')
    .meta(notes({ description: 'A service elsewhere, or the one that ships with ingestd, for trials.' })),
  authUrl: text()
    .optional()
    .meta(notes({ description: 'Base address of the token endpoints. Required with mode remote.' })),
  ingestUrl: text()
    .optional()
    .meta(notes({ description: 'Base address of the ingestion operations. Required with mode remote.' })),
  requestsPerMinute: whole(1, 1_000_000)
    .default(50)
    .meta(
      notes({ description: 'Requests in any sliding minute, as the service sees it, retries included.' }),
    ),
  concurrency: whole(1, 64)
    .default(4)
    .meta(notes({ description: 'Requests in flight at once.' })),
  sendApiKey: z
    .boolean()
    .default(false)
    .meta(notes({ description: 'Send x-api-key with ingestion calls too.' })),
  revokeOnStop: z
    .boolean()
    .default(false)
    .meta(notes({ description: 'Revoke the access token when ingestd stops.' })),
  onMissing: z
    .enum(['fail', 'upload'])
    .default('fail')
    .meta(notes({ description: 'What a modify does whose document the service no longer has.' })),
  connectSeconds: seconds()
    .default(10)
    .meta(notes({ description: 'Longest wait for a connection.', unit: 's' })),
  idleSeconds: seconds()
    .default(60)
    .meta(notes({ description: 'Longest silence, no byte either way, while sending.', unit: 's' })),
  responseSeconds: seconds()
    .default(120)
    .meta(notes({ description: 'Longest wait for an answer, from the last byte sent.', unit: 's' })),
  maxFileMegabytes: z
    .number()
    .positive()
    .max(1_048_576)
    .default(150)
    .meta(notes({ description: 'Larger files are refused before a byte is sent.', unit: 'MiB' })),
  maxKilobytesPerSecond: z
    .number()
    .min(1)
    .max(100_000_000)
    .optional()
    .meta(
      notes({
        description: 'Upload bandwidth of all requests together.',
        unit: 'kB/s',
        defaultWords: 'unlimited',
      }),
    ),
  documentOwner: z
    .enum(['configured', 'always'])
    .default('configured')
    .meta(
      notes({
        description:
          'With always, a delete without an owner in the metadata names the user who is signed in.',
      }),
    ),
});

/** A folder's name: 1 to 100 characters, no `/`, no control characters, no space at either end. */
export const folderNameSchema = z
  .string()
  .min(1)
  .max(100)
  .regex(/^(?!\s)[^/\p{Cc}\p{Cs}\u2028\u2029]+(?<!\s)$/u);

const folder = z.strictObject({
  name: folderNameSchema.meta(
    notes({
      description:
        'Unique. It keeps the ledger valid when the path changes, as the path does when the name changes: change one at a time.',
    }),
  ),
  path: text().meta(notes({ description: 'The directory, relative to the configuration file.' })),
  metadata: metadataSchema
    .prefault({})
    .meta(notes({ description: 'Defaults for every document: the fields of a sidecar.' })),
  sidecar: z
    .enum(['optional', 'required'])
    .default('optional')
    .meta(notes({ description: 'With required a document waits for its sidecar.' })),
  title: z
    .enum(['fileStem', 'none'])
    .default('fileStem')
    .meta(notes({ description: 'Title of a document whose metadata gives none.' })),
  createdTimestamp: z
    .enum(['modified', 'none'])
    .default('modified')
    .meta(notes({ description: "createdTimestamp from the file's modification time, or none." })),
  names: z
    .enum(['reject', 'rewrite'])
    .default('reject')
    .meta(notes({ description: 'A file name with more than one dot: refuse it, or send it rewritten.' })),
  onRemove: z
    .enum(['delete', 'keep'])
    .default('delete')
    .meta(notes({ description: 'What happens at the service when a file is removed.' })),
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
      message: 'no pattern includes anything; name what to include, such as "*.pdf", before what to take out',
    })
    .default([])
    .meta(
      notes({
        description:
          'gitignore patterns. Where given, only files that match are documents; attachments need not match.',
      }),
    ),
  ignore: z
    .array(z.string().max(1000))
    .max(1000)
    .default([])
    .meta(notes({ description: 'gitignore patterns, beside .ingestignore files in the tree.' })),
  attachments: z
    .enum(['below', 'folder'])
    .default('below')
    .meta(
      notes({
        description:
          "Where a sidecar's attachments may lie: in the document's directory and below, or anywhere in the folder.",
      }),
    ),
  sidecarOwner: z
    .enum(['any', 'same'])
    .default('any')
    .meta(
      notes({
        description:
          'With same, a sidecar, .meta.json or .ingestignore counts only if it belongs to the owner of the document or directory, or to root.',
      }),
    ),
  followSymlinks: z
    .boolean()
    .default(false)
    .meta(notes({ description: 'Follow symbolic links, and only inside the folder.' })),
  watch: z
    .enum(['auto', 'native', 'polling'])
    .default('auto')
    .meta(notes({ description: 'How changes are noticed. auto polls network and virtual file systems.' })),
});

const state = z.strictObject({
  dir: text()
    .optional()
    .meta(
      notes({
        description:
          'Directory of the ledger, relative to the configuration file. One for each service and user.',
        defaultWords: '`$STATE_DIRECTORY`, else `$XDG_STATE_HOME/ingestd`, else `~/.local/state/ingestd`',
      }),
    ),
});

const timing = z.strictObject({
  settleMs: whole(0, 3_600_000)
    .default(2000)
    .meta(notes({ description: 'A file is ready when it has not changed for this long.', unit: 'ms' })),
  removeGraceMs: whole(0, 3_600_000)
    .default(5000)
    .meta(
      notes({
        description: 'A removal waits this long for its other half: a move, a save by rename.',
        unit: 'ms',
      }),
    ),
  rescanMinutes: z
    .number()
    .min(0.01)
    .max(10_080)
    .default(15)
    .meta(notes({ description: 'Every folder is looked through again this often.', unit: 'min' })),
  pollSeconds: seconds()
    .default(30)
    .meta(notes({ description: 'Time between two scans of a folder that is polled.', unit: 's' })),
  stopSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(30)
    .meta(notes({ description: 'Requests in flight may take this long when ingestd stops.', unit: 's' })),
});

const safety = z.strictObject({
  maxDeletePercent: z
    .number()
    .min(0)
    .max(100)
    .default(50)
    .meta(
      notes({
        description: "Deletions of more than this part of a folder's documents within ten minutes…",
        unit: '%',
      }),
    ),
  maxDeleteCount: whole(0, 1_000_000_000)
    .default(10)
    .meta(notes({ description: '…and of more than this many are held until approved.' })),
  inDoubt: z
    .enum(['retry', 'hold'])
    .default('retry')
    .meta(notes({ description: 'An upload whose answer was lost: send it again, or wait for a person.' })),
});

const http = z.strictObject({
  host: z
    .string()
    .regex(/^[\p{L}\p{N}._:-]{1,253}$/u)
    .default('127.0.0.1')
    .meta(
      notes({
        description: 'Address of the status page. Other than loopback it needs INGESTD_HTTP_TOKEN.',
      }),
    ),
  port: z
    .union([whole(0, 65_535), z.literal(false)])
    .default(7420)
    .meta(notes({ description: '0 takes any free port, false turns the status page off.' })),
});

const notify = z.strictObject({
  command: z
    .array(text())
    .max(100)
    .default([])
    .meta(
      notes({
        description:
          'Program and arguments, run without a shell when something needs a person. It gets the event as JSON on standard input.',
      }),
    ),
  afterMinutes: z
    .number()
    .min(0)
    .max(1440)
    .default(5)
    .meta(
      notes({
        description: 'What has been wrong for this long is announced, with what came up meanwhile.',
        unit: 'min',
      }),
    ),
});

const log = z.strictObject({
  level: z
    .enum(logLevels)
    .default('info')
    .meta(notes({ description: 'The least important lines that are written.' })),
  format: z
    .enum(['auto', 'json', 'pretty'])
    .default('auto')
    .meta(notes({ description: 'auto is pretty on a terminal and JSON elsewhere.' })),
});

/** The configuration file, contract section 3: every key with its rule, its default and its one line of text. */
export const settingsSchema = z.strictObject({
  service: service.prefault({}),
  folders: z.array(folder).min(1).max(1000),
  state: state.prefault({}),
  timing: timing.prefault({}),
  safety: safety.prefault({}),
  http: http.prefault({}),
  notify: notify.prefault({}),
  log: log.prefault({}),
});

/** The configuration file as it was read: paths as written, addresses not yet judged. */
export type SettingsInput = z.output<typeof settingsSchema>;

function notes(keyNotes: KeyNotes): KeyNotes & Record<string, unknown> {
  return { ...keyNotes };
}
