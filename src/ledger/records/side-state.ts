import { refKey } from '../../model/document.ts';
import type { DocumentRef } from '../../model/document.ts';
import type {
  Doubt,
  Failure,
  Hold,
  Intent,
  LedgerPort,
  Removal,
  RootIdentity,
  SentRequest,
} from '../../model/ports/ledger-port.ts';
import type { SideChange } from '../format/change-format.ts';

const SENT_KEPT_MS = 600_000;
const REMOVALS_KEPT_MS = 3_600_000;
/** Kept however old they seem: the wall clock may have jumped. */
const NEWEST_SENT = 200;
const NEWEST_REMOVALS = 50;
/** So many more than were kept last time, and the old ones are looked for. */
const PRUNE_AFTER = 1_000;
/** Of one approval line in a snapshot, so that no line grows without bound. */
const PATHS_A_LINE = 1_000;

/** What is read of it. */
type SideReader = Pick<
  LedgerPort,
  | 'intents'
  | 'doubts'
  | 'failure'
  | 'failures'
  | 'hold'
  | 'isApproved'
  | 'removals'
  | 'root'
  | 'mounts'
  | 'mountIdentities'
  | 'service'
  | 'sentRequests'
>;

/** All that the ledger knows beside its records. */
export interface SideState {
  readonly reader: SideReader;
  readonly apply: (change: SideChange) => void;
  /** Changes that make an empty state into this one. */
  readonly changes: () => readonly SideChange[];
  /** Forgets requests and removals that nobody asks for any more. `now` is wall clock, ms. */
  readonly prune: (now: number) => void;
  /** True when `prune` is worth its while. */
  readonly isGrown: () => boolean;
}

/** An empty state. */
export function createSideState(): SideState {
  const intents = new Map<string, Intent>();
  const doubts = new Map<string, Doubt>();
  const failures = new Map<string, readonly [DocumentRef, Failure]>();
  const holds = new Map<string, Hold>();
  const approvals = new Map<string, Set<string>>();
  const removals = new Map<string, readonly Removal[]>();
  const roots = new Map<string, RootIdentity>();
  const mounts = new Map<string, Extract<SideChange, { kind: 'mounts' }>>();
  let service: string | null = null;
  let sent = new Map<string, SentRequest>();
  let appliedSince = 0;

  function apply(change: SideChange): void {
    switch (change.kind) {
      case 'intent':
        intents.set(change.intent.id, change.intent);
        return;
      case 'resolve':
        intents.delete(change.id);
        return;
      case 'doubt':
        doubts.set(change.doubt.id, change.doubt);
        return;
      case 'dismiss':
        doubts.delete(change.id);
        return;
      case 'fail':
        failures.set(refKey(change.ref), [change.ref, change.failure]);
        return;
      case 'clear':
        failures.delete(refKey(change.ref));
        return;
      case 'hold':
        if (change.hold === null) holds.delete(change.folder);
        else holds.set(change.folder, change.hold);
        return;
      case 'approve':
        approve(change.folder, change.paths);
        return;
      case 'unapprove':
        unapprove(change.folder, change.paths);
        return;
      case 'removed':
        appliedSince += 1;
        removals.set(change.folder, [...(removals.get(change.folder) ?? []), change.removal]);
        return;
      case 'root':
        roots.set(change.folder, change.identity);
        return;
      case 'mounts':
        mounts.set(change.folder, change);
        return;
      case 'service':
        service = change.service;
        return;
      case 'sent':
        appliedSince += 1;
        sent.set(change.id, {
          id: change.id,
          at: change.at,
          answeredAt: sent.get(change.id)?.answeredAt ?? null,
        });
        return;
      case 'answered':
        answer(change.id, change.at);
        return;
    }
  }

  function approve(folder: string, paths: readonly string[]): void {
    const approved = approvals.get(folder) ?? new Set();
    for (const path of paths) approved.add(path);
    if (approved.size > 0) approvals.set(folder, approved);
  }

  function unapprove(folder: string, paths: readonly string[]): void {
    const approved = approvals.get(folder);
    for (const path of paths) approved?.delete(path);
    if (approved?.size === 0) approvals.delete(folder);
  }

  function answer(id: string, at: number): void {
    const request = sent.get(id);
    if (request !== undefined) sent.set(id, { ...request, answeredAt: at });
  }

  const reader: SideReader = {
    intents: () => [...intents.values()],
    doubts: () => [...doubts.values()],
    failure: (ref) => failures.get(refKey(ref))?.[1],
    failures: () => failures.values(),
    hold: (folder) => holds.get(folder),
    isApproved: ({ folder, path }) => approvals.get(folder)?.has(path) ?? false,
    removals: (folder) => removals.get(folder) ?? [],
    root: (folder) => roots.get(folder),
    mounts: (folder) => mounts.get(folder)?.mounts ?? [],
    mountIdentities: (folder) => mounts.get(folder)?.identities ?? [],
    service: () => service,
    sentRequests: () => [...sent.values()],
  };

  return {
    reader,
    apply,
    changes: () => [
      ...map(intents.values(), (intent) => ({ kind: 'intent' as const, intent })),
      ...map(doubts.values(), (doubt) => ({ kind: 'doubt' as const, doubt })),
      ...map(failures.values(), ([ref, failure]) => ({ kind: 'fail' as const, ref, failure })),
      ...map(holds, ([folder, hold]) => ({ kind: 'hold' as const, folder, hold })),
      ...[...approvals].flatMap(([folder, paths]) => approvalLines(folder, paths)),
      ...[...removals].flatMap(([folder, list]) =>
        list.map((removal) => ({ kind: 'removed' as const, folder, removal })),
      ),
      ...map(roots, ([folder, identity]) => ({ kind: 'root' as const, folder, identity })),
      ...mounts.values(),
      ...(service === null ? [] : [{ kind: 'service' as const, service }]),
      ...[...sent.values()].flatMap(sentLines),
    ],
    prune: (now) => {
      appliedSince = 0;
      const requests = [...sent.values()];
      const kept = requests.filter(
        ({ at, answeredAt }, index) =>
          index >= requests.length - NEWEST_SENT || Math.max(at, answeredAt ?? 0) > now - SENT_KEPT_MS,
      );
      sent = new Map(kept.map((request) => [request.id, request]));
      for (const [folder, list] of removals) {
        removals.set(
          folder,
          list.filter(
            ({ at }, index) => index >= list.length - NEWEST_REMOVALS || at > now - REMOVALS_KEPT_MS,
          ),
        );
      }
    },
    isGrown: () => appliedSince >= PRUNE_AFTER,
  };
}

function* map<T, U>(values: Iterable<T>, make: (value: T) => U): Generator<U> {
  for (const value of values) yield make(value);
}

function approvalLines(folder: string, approved: ReadonlySet<string>): SideChange[] {
  const paths = [...approved];
  const lines: SideChange[] = [];
  for (let first = 0; first < paths.length; first += PATHS_A_LINE) {
    lines.push({ kind: 'approve', folder, paths: paths.slice(first, first + PATHS_A_LINE) });
  }
  return lines;
}

function sentLines({ id, at, answeredAt }: SentRequest): SideChange[] {
  const line: SideChange = { kind: 'sent', id, at };
  return answeredAt === null ? [line] : [line, { kind: 'answered', id, at: answeredAt }];
}
