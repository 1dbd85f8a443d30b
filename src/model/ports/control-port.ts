import * as z from 'zod';

import type { DeepReadonly } from '../../lib/deep-readonly.ts';
import { shareModes } from '../metadata/metadata.ts';
import type { ShareMode } from '../metadata/metadata.ts';
import { deciders } from '../report/status.ts';
import type { Activity, Decider, Reason, Status } from '../report/status.ts';
import type { DocumentRef } from '../document.ts';
import type { Why } from '../report/command-reports.ts';

const text = z.string().min(1);
const looks = z.boolean().optional();
/** `null`: all folders. */
const ofFolder = z.strictObject({ folder: text.nullable() });
/** A document that is held more narrowly than is stated for it: `folder/path`, and the mode that is stated. */
const narrower = z.object({ path: text, sharing: z.enum(shareModes) });
const pause = z.object({ since: text.optional(), by: z.enum(deciders).optional(), until: text.optional() });
/** `pauses`: when a person paused each, ISO 8601, where, and when it is resumed by itself, as far as that is known. */
const paused = z.object({
  paused: z.array(z.string()),
  pauses: z.record(z.string(), pause).default({}),
});

/** What a person asks of a daemon, by name: what is given, and what is answered. What comes of it is in the log. */
export const decisionSchemas = {
  /**
   * Puts failed documents back into the queue; no path: all but those in doubt. One in doubt is sent again, and so is one
   * that was delivered, as a modify. `all`: the paths are names of folders, all of whose delivered documents are meant.
   * `doubted`: how many of them were in doubt. `barred`: why others failed, by codes, that are sent by themselves when their
   * folder is put right. Throws ConfigurationError for a folder that is not configured, and where of one of the paths there
   * is nothing to send.
   */
  retry: {
    given: z.strictObject({ paths: z.array(text), all: z.boolean().default(false) }),
    answer: z.object({
      retried: z.number(),
      doubted: z.number().optional(),
      barred: z.array(text).optional(),
    }),
  },
  /**
   * Ends the doubt about one document. Throws ConfigurationError where the path is not in doubt, its file is gone, or
   * changing where the doubt is dismissed, the docId is known, or a request about it is under way. `looks`: only that.
   * `resolved`: of how many documents, where the path is that of a directory.
   */
  resolve: {
    given: z.discriminatedUnion('action', [
      z.strictObject({ path: text, action: z.literal('adopt'), docId: z.string(), looks }),
      z.strictObject({ path: text, action: z.literal('again') }),
      z.strictObject({ path: text, action: z.literal('dismiss') }),
    ]),
    answer: z.object({ resolved: z.number().default(1) }),
  },
  /**
   * Releases held deletions of one folder, or of all. `most`: as many were shown to a person, and some of them, or all,
   * by their `paths` (`folder/path`); left out: whatever is held. Throws ConfigurationError for a folder that is not
   * configured, and where others are held by now than were shown: then none is released.
   */
  approve: {
    given: ofFolder.extend({ most: z.int().nonnegative().optional(), paths: z.array(text).default([]) }),
    answer: z.object({ approved: z.number() }),
  },
  /**
   * Names the documents at these paths, or below them, that are held more narrowly than is stated for them. Those of
   * `shown` that are among them with the same mode then get it; left out: none does. `barred`: how many more there are
   * that nobody's word can widen. Throws ConfigurationError for a path that is in no folder.
   */
  share: {
    given: z.strictObject({ paths: z.array(text), shown: z.array(narrower.strict()).optional() }),
    answer: z.object({ documents: z.array(narrower), shared: z.number(), barred: z.number() }),
  },
  /**
   * The other answer to held deletions: their documents stay at the service. `place`: a folder's name, or a path in one
   * and all below it; null: all. Throws ConfigurationError for a place that is in no configured folder.
   */
  keep: { given: z.strictObject({ place: text.nullable() }), answer: z.object({ kept: z.number() }) },
  /**
   * Sends nothing of one folder, or of all, until `resume`, or for `ms` at most: kept over restarts, durable when it
   * resolves; requests under way end. Both throw ConfigurationError for a folder that is not configured.
   */
  pause: { given: ofFolder.extend({ ms: z.int().positive().optional() }), answer: paused },
  resume: { given: ofFolder, answer: paused },
  /** Begins to scan one folder, or all. Throws ConfigurationError for a folder that is not configured. */
  rescan: { given: ofFolder, answer: z.object({ folders: z.array(z.string()) }) },
};

type Schemas = typeof decisionSchemas;
export type DecisionName = keyof Schemas;
export const decisionNames = Object.keys(decisionSchemas) as readonly DecisionName[];
/** What one of them is given. */
export type Given<Name extends DecisionName> = DeepReadonly<z.input<Schemas[Name]['given']>>;
/** What one of them is answered. */
export type Answer<Name extends DecisionName> = DeepReadonly<z.output<Schemas[Name]['answer']>>;

/** What a person decides, with a running daemon or, for the next start, without one. */
export type DecisionPort = {
  readonly [Name in DecisionName]: (given: Given<Name>) => Promise<Answer<Name>>;
};

/** A person's word about an upload in doubt: the service has it, send it again, forget it. */
export type Resolution = WithoutPath<Given<'resolve'>>;
type WithoutPath<Of> = Of extends unknown ? Omit<Of, 'path'> : never;

/** The folders that are paused now. */
export type PausedFolders = Answer<'pause'>;

/** Which documents are wanted. */
export interface DocumentQuery {
  /** Words that all have to occur in `folder/path`, in any case; empty: all documents. */
  readonly search: string;
  /** Only those that are held more narrowly than is stated for them. */
  readonly narrower: boolean;
}

/** Documents, and files that are none, the first hundred of those that are wanted. */
export interface DocumentListing {
  readonly documents: readonly (DocumentRef & {
    /** Base64, where the path is not UTF-8. */
    readonly pathBytes?: string | undefined;
    /** The service has it, as it is now or as it was. */
    readonly isDelivered: boolean;
    /** What is under way with it, or why it is not sent, in words; null: the service has it as it is. */
    readonly state: string | null;
    /** Who can see it; null: nobody knows, or nobody can. */
    readonly sharing: ShareMode | null;
    /** Where it can be seen at the service; null: `service.documentUrl` does not say. */
    readonly url: string | null;
    /** The wider mode that is stated, and why it is not in force; null: none is. */
    readonly narrower: Why['narrower'];
  })[];
  /** How many are wanted. */
  readonly total: number;
}

/** Has `ask` take each of them, by its name. */
export function decisionsThrough(
  ask: <Name extends DecisionName>(name: Name, given: Given<Name>) => Promise<Answer<Name>>,
): DecisionPort {
  const asks = decisionNames.map((name) => [name, (given: Given<typeof name>) => ask(name, given)]);
  return Object.fromEntries(asks) as DecisionPort;
}

/** What the HTTP address and the command line may ask of a running daemon. */
export interface ControlPort {
  readonly status: () => Status;
  /** `path` is absolute, or `folder/path`, or a path inside the only folder. */
  readonly why: (path: string) => Promise<Why>;
  readonly documents: (query: DocumentQuery) => Promise<DocumentListing>;
  readonly decisions: (by: Decider) => DecisionPort;
  readonly revoke: (options: { readonly all: boolean }) => Promise<void>;
  /** True while the process makes progress. */
  readonly healthy: () => boolean;
  /** Empty: ready. Folders watched and credentials accepted, else why not. */
  readonly unready: () => readonly Reason[];
  /** Calls on every activity; what it returns ends that. */
  readonly onActivity: (listener: (activity: Activity) => void) => () => void;
  /** Calls when the status may have changed, at most a few times a second. */
  readonly onStatus: (listener: () => void) => () => void;
}
