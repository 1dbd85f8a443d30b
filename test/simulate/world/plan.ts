import type { ShareMode } from '../judge/statement.ts';
import type { Ending } from '../service/service.ts';
import type { Habits } from '../disk/inode.ts';
import type { Gap } from './gaps.ts';

/** One folder of the configuration. */
export interface PlannedFolder {
  readonly name: string;
  /** The mode in its `metadata`; null: none. */
  readonly mode: ShareMode | null;
  readonly isPolled: boolean;
}

/** How the machine, its disk and the service behave during a run. */
export interface Setting {
  readonly folders: readonly PlannedFolder[];
  readonly habits: Partial<Habits>;
  /** The second folder shows what the first one holds. */
  readonly isBound: boolean;
  readonly settleMs: number;
  readonly requestsPerMinute: number;
  readonly maxDeleteCount: number;
  readonly inDoubt: 'retry' | 'hold';
  readonly tokenSeconds: number;
  readonly events: 'prompt' | 'late' | 'lossy' | 'doubled';
  /** The kernel's queue of events holds so many. */
  readonly eventQueue: number;
  /** How long each look at the disk takes, ms. */
  readonly lookMs: number;
  /** Absolute paths of so many bytes are too long for the process. */
  readonly maxPathBytes: number;
  /** Symbolic links that stay inside of a folder are followed. */
  readonly followSymlinks?: boolean | undefined;
}

/** Something that is done to a folder, to the service, or to ingestd. Paths are below the simulated disk. */
export type Act =
  | {
      readonly kind: 'write' | 'append';
      readonly path: string;
      readonly text: string;
      readonly encoding?: 'utf16le';
    }
  | { readonly kind: 'rename' | 'link' | 'copy'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'chmod'; readonly path: string; readonly mode: number }
  | {
      readonly kind: 'fail';
      readonly path: string;
      readonly code: string;
      readonly forMs: number;
      /** Of a directory: so does all that is below. */
      readonly isWhole?: true;
    }
  /** A disk is mounted on a directory: empty at first, and the same one at each later time; or it is taken away. */
  | { readonly kind: 'mount' | 'unmount'; readonly path: string }
  /** The disk of the ledger is full; the process is held up, and events pile up in the kernel. */
  | { readonly kind: 'full' | 'stall'; readonly forMs: number }
  /** The disk of the ledger reports errors: for what it has to sync, or in the middle of what is written. */
  | { readonly kind: 'ledger'; readonly fails: 'fsync' | 'write'; readonly forMs: number }
  /** The service refuses connections, or takes them and never answers. */
  | { readonly kind: 'away'; readonly how: 'refused' | 'silent'; readonly forMs: number }
  | { readonly kind: 'pause' | 'resume' | 'approve' | 'retry' | 'rescan' | 'again' | 'expire-tokens' }
  | {
      readonly kind: 'restart';
      readonly how: 'kill' | 'power' | 'stop';
      readonly downMs: number;
      /** The configuration of the next process; left out: as before. */
      readonly folders?: readonly PlannedFolder[];
    }
  /** A person keeps what is held, has all shared as it is stated, or ends the doubt that is listed first. */
  | { readonly kind: 'keep' | 'share' }
  | { readonly kind: 'resolve'; readonly how: 'again' | 'dismiss' | 'adopt' }
  /** A symbolic link; `to`: a path on the simulated disk. */
  | { readonly kind: 'symlink'; readonly path: string; readonly to: string }
  /** One pass of `sync` in the place of the process that runs, and then that again. */
  | { readonly kind: 'sync'; readonly how: 'kill' | 'stop' }
  /** SIGHUP, with another configuration or the same. */
  | { readonly kind: 'reload'; readonly folders?: readonly PlannedFolder[] }
  | { readonly kind: 'clock'; readonly jumpMs: number }
  | { readonly kind: 'answer'; readonly ending: Ending }
  /** The service takes no file with these texts, until it takes all. */
  | { readonly kind: 'refuse'; readonly texts: readonly string[] }
  | { readonly kind: 'take' }
  /** What the author of some texts means, until the file stands that says so. */
  | {
      readonly kind: 'intend';
      readonly texts: readonly string[];
      /** No wider than this. */
      readonly mode: ShareMode;
      readonly saidBy: string;
    };

/** An act and its moment: so long after the one before, or when a request has come as far as a stage. */
export interface Step {
  readonly afterMs: number;
  readonly gap?: Gap;
  readonly act: Act;
}

/** A whole run. */
export interface Plan {
  readonly seed: number;
  readonly setting: Setting;
  readonly first: readonly { readonly path: string; readonly text: string }[];
  readonly steps: readonly Step[];
}

/** A step in words. */
function stepText({ afterMs, gap, act }: Step): string {
  const when = gap === undefined ? `${afterMs} ms later` : `when a request is at: ${gap}, ${afterMs} ms`;
  return `${when}: ${actText(act)}`;
}

const resolutions = {
  again: 'send it again',
  dismiss: 'forget it',
  adopt: 'the service has it',
} as const;

function actText(act: Act): string {
  if (act.kind === 'ledger')
    return act.fails === 'fsync'
      ? `the disk of the ledger fails to sync for ${act.forMs} ms`
      : `the disk of the ledger fails in the middle of what is written for ${act.forMs} ms`;
  if (act.kind === 'away')
    return act.how === 'refused'
      ? `the service refuses connections for ${act.forMs} ms`
      : `the service takes connections and never answers for ${act.forMs} ms`;
  if (act.kind === 'keep') return 'a person keeps the documents whose deletions are held';
  if (act.kind === 'share') return 'a person has all documents shared as it is stated';
  if (act.kind === 'resolve') return `a person ends the first doubt: ${resolutions[act.how]}`;
  if (act.kind === 'symlink') return `a symbolic link at ${act.path} leads to ${act.to}`;
  if (act.kind === 'sync')
    return `${act.how === 'kill' ? 'ingestd is killed' : 'ingestd is stopped'}, and sync makes a pass`;
  if (act.kind === 'reload')
    return act.folders === undefined
      ? 'SIGHUP with the same configuration'
      : `SIGHUP with the folders ${JSON.stringify(act.folders)}`;
  const { kind, ...rest } = act;
  const words = Object.values(rest).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  return `${kind} ${words.join(' ')}`;
}

/** A run in words, for a person. */
export function planText({ seed, setting, first, steps }: Plan): string {
  const { folders, habits, ...rest } = setting;
  return [
    `seed ${seed}`,
    `  folders: ${folders.map((one) => JSON.stringify(one)).join(', ')}`,
    `  setting: ${JSON.stringify(rest)} ${JSON.stringify(habits)}`,
    ...first.map(({ path, text }) => `  at first: ${path} = ${JSON.stringify(text)}`),
    ...steps.map((step) => `  ${stepText(step)}`),
  ].join('\n');
}
