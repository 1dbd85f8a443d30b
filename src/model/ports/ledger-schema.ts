import * as z from 'zod';

import { metadataFields, shareModes } from '../metadata/metadata.ts';
import type { Metadata } from '../metadata/metadata.ts';

/** A SHA-256 in hex; empty: not known. */
export const hashPattern = /^(?:[0-9a-f]{64})?$/;

const folder = z.string();
/** NFC, from the folder's root. */
const path = z.string();
const ref = z.object({ folder, path });
const paths = z.array(path);
/** Wall clock, ms. */
const at = z.number();
/** To tell what was seen before from what was seen after: the wall clock, ms, but never earlier than one before it. */
const moment = z.number();
const id = z.string();

/** What `lstat` says of a regular file. Equal stats mean equal content, as far as one can tell without reading. */
export const statSchema = z.object({
  size: z.number(),
  mtimeMs: z.number(),
  ctimeMs: z.number(),
  /** 0 where the file system does not provide it. */
  birthtimeMs: z.number(),
  ino: z.number(),
  dev: z.number(),
});

/** Which file or directory something was. */
const identity = z.object({ ino: z.number(), birthtimeMs: z.number(), dev: z.number() });

/** A moment since the machine was booted. */
const sinceBoot = z.object({ bootId: z.string(), ms: z.number() }).optional();

/** Metadata as the ledger keeps it, interface 2.2. A key that this version does not know is kept as it stands. */
export const heldMetadataSchema: z.ZodType<Metadata> = z.looseObject(metadataFields(z.string()));

/** An attachment as the service last accepted it. */
export const attachmentSchema = z.strictObject({
  name: z.string(),
  sha256: z.string().regex(hashPattern),
  /** Absent where an import does not say. */
  path: path.optional(),
  /** The folder that holds it; absent: that of its document. It lies in another one after a folder was split, say. */
  folder: folder.optional(),
  stat: statSchema,
});

/** What the service may hold instead of what the record says: requests went out and no answer came. */
const unsureSchema = z.strictObject({
  /** The content may differ. */
  content: z.boolean(),
  /** The attachments may differ. */
  attachments: z.boolean(),
  /** What each of the modifies would have led to. */
  metadata: z.array(heldMetadataSchema),
  /** A deletion went out: the service may not know the document any more. */
  gone: z.literal(true).optional(),
});

/** Files beside a document that have a say in what is sent of it. */
export const companionsSchema = z.strictObject({
  /** What its own sidecar is named after: the document's whole name, or its stem. Null: it has none. */
  sidecar: z.enum(['name', 'stem']).nullable(),
  /** Directories whose `.meta.json` holds for it, outermost first. */
  defaults: z.array(z.string()),
});

/** A sharing mode that goes with a document, or with a file, and where it was stated: contract 7.27. */
export const heldModeSchema = z.strictObject({
  folder,
  /** That of the document for which it was stated, whatever path that has by now. */
  path,
  mode: z.enum(shareModes),
  /** The sidecar or `.meta.json` that stated it, from that folder's root; '': the folder's settings; null: nothing did. */
  by: z.string().nullable(),
  /** Where the directories are by now that were above it then, `folder/path`; absent: where they were. */
  above: z.array(z.string()).optional(),
  /** The folder of `by`, where the document was sent from another one since. */
  under: z.strictObject({ folder }).optional(),
  /** The file was an attachment of that document. */
  isAttachment: z.literal(true).optional(),
  /** In a record, a file that it had before; absent: the mode is that of the record itself. */
  file: statSchema.optional(),
});

/**
 * What the service holds for one path, and what the file looked like when it was sent. A field that is added here, and
 * that a record may go without, is kept in memory and files, exported and imported: only the version has to rise.
 */
export const recordSchema = z.strictObject({
  docId: z.string(),
  /** Lower-case hex, of the bytes that were sent. Empty for an imported document whose bytes are not known. */
  sha256: z.string(),
  stat: statSchema,
  /** The fingerprint when this record last matched its file. */
  fingerprint: z.string(),
  /** The file name that went out last. */
  fileName: z.string(),
  attachments: z.array(attachmentSchema),
  /** What had a say when this record was last found true; absent: nothing had, or nobody knows. */
  companions: companionsSchema.optional(),
  /**
   * Sharing modes that go with it: its own, where `companions` does not show where that was stated, and those of files
   * that it had before and that have no record of their own, the latest last.
   */
  heldModes: z.array(heldModeSchema).optional(),
  /** What the service last accepted, all of it: what could not be taken back is still in it. */
  metadata: heldMetadataSchema,
  /** ISO 8601, UTC. */
  uploadedAt: z.string(),
  modifiedAt: z.string().nullable(),
  /** How many more documents of this content the service may hold because answers were lost. */
  possibleDuplicates: z.int().nonnegative(),
  /**
   * Warnings that were given and are not repeated (fields that cannot be cleared); `importedMark`; that a person gave the
   * docId; marks of sharing.
   */
  said: z.array(z.string()).optional(),
  /**
   * It was written down while the root was another one than the ledger's, and would be of this number of `changes`.
   * Until that root is accepted it proves nothing about it.
   */
  rootChange: z.int().nonnegative().optional(),
  /** Modifies and deletions whose outcome was never learned; absent: none, which is so for nearly all. */
  unsure: unsureSchema.optional(),
  /**
   * The file that it is by now, where that was not accepted yet: another one than `stat` is of, or that one, changed while
   * it was an attachment.
   */
  standing: statSchema.optional(),
});

/**
 * What an upload brings to the service besides the file: `metadata` is what it holds once it has accepted that, and
 * `held` the mode with its place.
 */
const carried = z
  .object({ metadata: heldMetadataSchema, attachments: z.boolean(), held: heldModeSchema.optional() })
  .optional();

/** An upload that goes out. It is durable before its first byte does, and stays until its outcome is known. */
const intent = z.object({ id, ref, size: z.number(), stat: statSchema.optional(), carried, at });

/** An upload whose outcome was never learned, kept until it is settled or a person dismisses it. */
const doubt = z.object({
  id,
  /** Where its file stands, as far as is known: a doubt follows its file. */
  ref,
  /** Of the file that was sent; absent: not known. */
  stat: statSchema.optional(),
  carried,
  /** How many documents the service may hold unknown to us; 0: a person has looked, and there is none. */
  count: z.number(),
  since: at,
  message: z.string(),
  /** True: `safety.inDoubt` is hold and the document is not sent before a person says so. */
  holds: z.boolean(),
  /** A person wants nothing sent because of it: it is no longer listed, and counts once its document is sent again. */
  dismissed: z.literal(true).optional(),
  /** A person retries it: it is not listed while its file is in line for that. */
  again: z.literal(true).optional(),
});

/** A document that the service or a rule refused. Tried again when its stat or fingerprint changes, or on `retry`. */
const failure = z.object({
  code: z.string(),
  message: z.string(),
  attempts: z.number(),
  /** Newest last, at most ten. */
  history: z.array(z.object({ at, operation: z.string(), code: z.string(), message: z.string() })),
  /** As that of a record. */
  rootChange: z.number().optional(),
  stat: statSchema,
  fingerprint: z.string(),
});

/** Deletions of one folder that wait for a person. */
const hold = z.object({
  since: at,
  reason: z.string(),
  /** How many there were last, where that is known. */
  documents: z.number().optional(),
  /** May hide the files: when it has been listed, no person has to answer any more. */
  hiddenIn: z.strictObject({ folder, path }).optional(),
});

/** A root directory as it was when its folder was last known to be right. */
const root = z.object({
  path: z.string(),
  dev: z.number(),
  ino: z.number(),
  /** Ms; 0 or absent: not known. */
  birthtimeMs: z.number().optional(),
  /** When a whole scan of it began, of those that were written down. What was recorded stood then. */
  seenAt: moment.optional(),
  /** Directories in which something cannot be read, and since when they have looked so; absent: none. */
  unreadable: z.array(z.strictObject({ path, look: z.string(), since: moment })).optional(),
  /** How often another directory was accepted as the root; absent: never. */
  changes: z.number().optional(),
  /** The device of the root before, where another one came to its path while nothing was known of it; until when. */
  covered: z.strictObject({ dev: z.number(), until: moment }).optional(),
  /** `onRemove` is keep, or it was, and files with records are still missing. Absent: neither. */
  keeps: z.literal(true).optional(),
});

const kind = <Kind extends string>(name: Kind) => z.literal(name);

/** What is of documents, or was decided about them: an export holds it. */
export const exportedChangeSchema = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: kind('intent'), intent }),
    z.object({ kind: kind('doubt'), doubt }),
    z.object({ kind: kind('fail'), ref, failure }),
    z.object({ kind: kind('hold'), folder, hold: hold.nullable() }),
    /** A person's answer about removed files: these deletions are allowed, or with `keeps` their documents stay. */
    z.object({ kind: kind('approve'), folder, paths, keeps: z.literal(true).optional() }),
    /** Deletions of one folder that were let through. `documents`: what the folder had before, where that is known. */
    z.object({
      kind: kind('removed'),
      folder,
      removal: z.object({ at, sinceBoot, count: z.number(), documents: z.number().optional() }),
    }),
    z.object({ kind: kind('root'), folder, identity: root }),
    /** Directories below the root on which something is mounted, or was, in place of what was known. */
    z.object({
      kind: kind('mounts'),
      folder,
      mounts: paths,
      /** Of those of them that are known: the directory that is mounted, as it was when nothing below it was missing. */
      identities: z.array(identity.extend({ path })).optional(),
      /**
       * Those that were seen with nothing mounted on them, until something was found to be; null: nothing is. What came
       * into one then lies below the next mount. `since`: when something was found to be mounted there no longer.
       */
      bare: z.array(z.object({ path, until: moment.nullable(), since: moment.optional() })).optional(),
    }),
    /**
     * Which directory holds the records of a path; null: it is not known any more. It says nothing where a path has no
     * records, and is forgotten with the last of them.
     */
    z.object({ kind: kind('directory'), folder, path, identity: identity.nullable() }),
    /** A file of a document that was deleted, or an attachment of that: what it counts as held with until it is sent. */
    z.object({ kind: kind('former'), held: heldModeSchema.extend({ file: statSchema }) }),
  ],
  'is not what an export holds',
);

/** Every change of the ledger but that of a record, as the port has it and files hold it. */
export const plainChangeSchema = z.discriminatedUnion('kind', [
  ...exportedChangeSchema.options,
  z.object({ kind: kind('drop'), ref }),
  /** The outcome of that intent is known: it is no longer open. */
  z.object({ kind: kind('resolve'), id }),
  z.object({ kind: kind('dismiss'), id }),
  /** A doubt that is still there follows its file. */
  z.object({ kind: kind('follow'), id, ref, stat: statSchema }),
  z.object({ kind: kind('clear'), ref }),
  /** The answer counts no more: the document is deleted, or its file came back. */
  z.object({ kind: kind('unapprove'), folder, paths }),
  /** The records belong to this service from now on. */
  z.object({ kind: kind('service'), service: z.string() }),
  z.object({ kind: kind('sent'), id, at }),
  z.object({ kind: kind('answered'), id, at, sinceBoot }),
]);
