import assert from 'node:assert/strict';

import { directoryOf, joinPath, nameOf, refKey, sameFile } from '../../../src/model/document.ts';
import { modeOf, shareModes } from '../../../src/model/metadata/metadata.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import { engineTiming } from '../../support/worlds/engine-world.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';
import { directoriesOf, ignores, readSidecar, sidecarOf } from './chronicle.ts';
import type { StandingFile } from './chronicle.ts';
import type { DiskWorld } from './disk-world.ts';
import type { ScannedSource } from './scanned-folder.ts';

/** What must never go out, as things stand at this moment. */
export function violationsOf(world: DiskWorld, request: OutgoingRequest): readonly string[] {
  const { kind } = request;
  const violations = [
    ...(kind === 'delete' ? deletionsOf(world, request) : contentsOf(world, request)),
    ...(kind === 'delete' ? [] : modesOf(world, request)),
    ...(kind === 'upload' ? uploadOf(world, request) : []),
  ];
  world.sentModes.note(world, request);
  return violations;
}

/** No file that stands is deleted, none that may be back soon, and none that a person has not been asked about. */
function* deletionsOf(world: DiskWorld, { docIds }: OutgoingRequest): Iterable<string> {
  const { chronicle } = world;
  const ledger = world.ledger();
  const now = world.clock.monotonic();
  const standing = world.everywhere();
  const visible = world.files();
  for (const docId of docIds) {
    const ref = ledger.findByDocId(docId);
    const record = ref === undefined ? undefined : ledger.get(ref);
    if (ref === undefined || record === undefined || ledger.isApproved(ref)) continue;
    const goneForMs = chronicle.goneForMs(ref.path, now);
    if (goneForMs < engineTiming.removeGraceMs)
      yield `${ref.path} is deleted ${goneForMs} ms after its file went`;
    // A file that has come to the path of another document, or is known as its own, is that one's.
    const isOthers = (path: string, file: StandingFile) =>
      ledger.get({ folder: ref.folder, path }) !== undefined ||
      [...ledger.entries()].some((one) => one.record.docId !== docId && sameFile(one.record.stat, file));
    for (const [path, file] of standing) {
      // What a mount hides is another document's file, or nobody's, unless it is the very file of this one.
      const isThere = path === ref.path && visible.get(path)?.ino === file.ino;
      const isAway = !visible.has(path) && world.approved.has(docId);
      const isItsOwn = !isAway && sameFile(record.stat, file) && (path === ref.path || !isOthers(path, file));
      if (isThere || isItsOwn) yield `${ref.path} is deleted, and its file stands at ${path}`;
    }
  }
}

/** What is sent has settled, and is the document's own. */
function* contentsOf(world: DiskWorld, { kind, docIds, ...request }: OutgoingRequest): Iterable<string> {
  const { chronicle } = world;
  const now = world.clock.monotonic();
  const sources = request.sources as readonly ScannedSource[];
  for (const { path, settledMs } of sources) {
    if (settledMs < engineTiming.settleMs) yield `${path} goes out ${settledMs} ms after a write`;
  }
  const [file, ...others] = sources;
  const owner = kind === 'upload' ? file?.path : world.ledger().findByDocId(docIds[0] ?? '')?.path;
  for (const { path } of kind === 'upload' ? others : sources) {
    if (path !== owner && owner !== undefined && !chronicle.hasListed(owner, path, now))
      yield `${path} goes out with ${owner}, whose sidecar does not list it`;
  }
}

/** No sharing mode but what a valid, settled state asks for. */
function* modesOf(world: DiskWorld, { kind, docIds, metadata, sources }: OutgoingRequest): Iterable<string> {
  if (kind !== 'upload' && metadata?.shareInfo === undefined) return;
  const ledger = world.ledger();
  const mode = metadata?.shareInfo?.mode ?? 'DEFAULT';
  const [file] = sources as readonly ScannedSource[];
  const about =
    kind === 'upload' ? [file?.path ?? ''] : docIds.map((id) => ledger.findByDocId(id)?.path ?? '');
  for (const path of about) {
    const companions = ledger.get({ folder: 'inbox', path })?.companions;
    const asked = world.chronicle.modesOf(path, world.clock.monotonic(), companions);
    const docId = ledger.get({ folder: 'inbox', path })?.docId;
    const isKept = world.sentModes.mayBeKept(mode, asked, { file: world.files().get(path), docId });
    if (!asked.has(mode) && !isKept)
      yield `${kind} of ${path} with ${mode}, asked for: ${[...asked].join(', ') || 'nothing'}`;
    const movedForMs =
      kind === 'upload' || isModeStated(world.files(), path) ? Infinity : movedForMsOf(world, path);
    if (
      showsUnlisted(world, {
        path,
        mode,
        isReplaced: sources.some((source) => (source as ScannedSource).path !== path),
      })
    )
      yield `${kind} of ${path} with ${mode}, which shows attachments that its sidecar does not list`;
    if (movedForMs < engineTiming.removeGraceMs)
      yield `${kind} of ${path} with ${mode}, ${movedForMs} ms after it came: what asks for the mode before may follow`;
  }
}

/** Whether more people would see attachments at the service that the document's sidecar has not listed for a while. */
function showsUnlisted(
  { service, ledger, chronicle, clock }: DiskWorld,
  {
    path,
    mode,
    isReplaced,
  }: { readonly path: string; readonly mode: ShareMode; readonly isReplaced: boolean },
): boolean {
  const docId = ledger().get({ folder: 'inbox', path })?.docId;
  const held = docId === undefined ? undefined : service.documents.get(docId);
  if (held === undefined || isReplaced || held.attachments.length === 0) return false;
  if (shareModes.indexOf(mode) <= shareModes.indexOf(modeOf(held.metadata))) return false;
  const now = clock.monotonic();
  return !held.attachments.some((name) => chronicle.hasListed(path, joinPath(directoryOf(path), name), now));
}

/** Whether a sharing mode is asked for by a file, and not by the folder's settings. */
function isModeStated(files: ReturnType<DiskWorld['files']>, path: string): boolean {
  const places = [sidecarOf(path), ...directoriesOf(path).map((one) => joinPath(one, '.meta.json'))];
  return places.some((place) => (readSidecar(files.get(place)?.content ?? '{}')?.mode ?? null) !== null);
}

/** For how long a document whose record has followed its file has stood at its path, ms. */
function movedForMsOf({ activities, chronicle, clock }: DiskWorld, path: string): number {
  const cameMsAgo = chronicle.cameMsAgo(path, clock.monotonic());
  if (cameMsAgo === null) return Infinity;
  const isRecent = (at: number) => at >= clock.now() - cameMsAgo && at <= clock.now();
  const hasMoved = activities.some(
    (one) => one.what === 'moved' && one.path === path && isRecent(Date.parse(one.at)),
  );
  return hasMoved ? cameMsAgo : Infinity;
}

/** When nothing moves any more, no file is another one than the one that was last sent, or refused. */
export function* staleOf(world: DiskWorld): Iterable<string> {
  if (world.hasMissed()) return;
  const ledger = world.ledger();
  const { tasks } = world.engine();
  const files = world.files();
  for (const [path, file] of files) {
    if (isIgnored(files, path)) continue;
    const ref = { folder: 'inbox', path };
    const state = tasks.get(ref)?.state;
    const isRefused = state?.kind === 'failed' && state.recorded && state.reason.code !== 'in-doubt';
    if (state !== undefined && !isRefused) continue;
    const known = isRefused ? ledger.failure(ref) : ledger.get(ref);
    if (known !== undefined && (known.stat.ino !== file.ino || known.stat.mtimeMs !== file.mtimeMs))
      yield `${path} is another file than the one that was ${isRefused ? 'refused' : 'sent'}, and nothing is done about it`;
  }
}

/** When nothing moves any more, no approval is kept for a file that stands: it would go out when that goes again. */
export function* forgottenApprovalsOf(world: DiskWorld): Iterable<string> {
  if (world.hasMissed()) return;
  const ledger = world.ledger();
  for (const path of world.files().keys()) {
    if (ledger.isApproved({ folder: 'inbox', path }))
      yield `${path} stands, and a person's approval of its deletion is kept`;
  }
}

/** A new document is one: not ignored, no attachment, no other document's file, not on its way already. */
function* uploadOf(world: DiskWorld, { sources }: OutgoingRequest): Iterable<string> {
  const { chronicle } = world;
  const ledger = world.ledger();
  const now = world.clock.monotonic();
  const [file] = sources as readonly ScannedSource[];
  if (file === undefined) return;
  const { path } = file;
  if (!chronicle.wasAllowed(path, now)) yield `${path} is uploaded, and is ignored`;
  const reservedFor = chronicle.reservedFor(path, now);
  if (reservedFor !== null) yield `${path} is uploaded, and is listed as an attachment of ${reservedFor}`;
  const known = ledger.get({ folder: 'inbox', path });
  if (known !== undefined && world.service.documents.has(known.docId))
    yield `${path} is uploaded, and the service has it as ${known.docId}`;
  // Its own is written down before it goes out.
  const own = ledger.intents().findLast(({ ref }) => ref.path === path);
  for (const { id, ref, stat } of ledger.intents()) {
    if (id === own?.id) continue;
    if (ref.path === path || (stat !== undefined && sameFile(stat, file)))
      yield `${path} is uploaded while it is on its way as ${ref.path}`;
  }
  const standing = world.files();
  for (const { ref, record } of ledger.entries()) {
    // It went to a place that is not sent, and is kept at the service: its grace period ends what it carried.
    const isKept = world.engine().tasks.get(ref)?.state.kind === 'dormant';
    if (isKept && chronicle.goneForMs(ref.path, now) >= engineTiming.removeGraceMs) continue;
    for (const attachment of record.attachments) {
      const isIt =
        attachment.path === path || (attachment.path !== undefined && sameFile(attachment.stat, file));
      if (isIt && !chronicle.hasLetGo(ref.path, path, now))
        yield `${path} is uploaded, and is an attachment of ${ref.path}`;
    }
    // A file that has come to the path of another document is that one's: it goes out for it, also where the service
    // has lost it.
    if (known === undefined && sameFile(record.stat, file) && !standing.has(ref.path))
      yield `${path} is uploaded, and is what was ${ref.path}`;
  }
  for (const { ref, stat, holds } of ledger.doubts()) {
    const isSame = ref.path === path || (stat !== undefined && sameFile(stat, file));
    if (holds && isSame) yield `${path} is uploaded, and in doubt as ${ref.path}`;
  }
}

interface Expected {
  readonly content: string;
  readonly mode: string;
  /** Names and contents. */
  readonly attachments: readonly (readonly [string, string])[];
}

/** Also below an ignore file that is not valid. */
function isIgnored(files: ReturnType<DiskWorld['files']>, path: string): boolean {
  return directoriesOf(path).some((one) => {
    const rules = files.get(joinPath(one, '.ingestignore'))?.content;
    return rules !== undefined && ignores(rules, path, one) !== false;
  });
}

/** What the disk asks for at the end: documents with their content, sharing mode and attachments. */
function expectedOf(world: DiskWorld) {
  const files = world.files();
  const isSent = (path: string) => !isIgnored(files, path) && files.get(path)?.content !== '';
  const listedBy = (path: string) =>
    readSidecar(files.get(sidecarOf(path))?.content ?? '{}')?.attachments.map((one) =>
      joinPath(directoryOf(path), one),
    ) ?? null;
  const names = [...files.keys()].filter(
    (path) => /\.(?:txt|csv)$/.test(path) && !nameOf(path).startsWith('~'),
  );
  const owners = names.filter((path) => files.has(sidecarOf(path)));
  const carried = new Set(owners.flatMap((path) => listedBy(path) ?? []));
  // What an invalid sidecar listed when it was valid stays attached.
  const isUnclear = owners.some((path) => listedBy(path) === null);
  // A file that went out with another document stays its attachment, wherever it is, until that lets go of it.
  const isKept = (path: string) =>
    [...world.ledger().entries()].some(({ record }) =>
      record.attachments.some(({ stat }) => {
        const file = files.get(path);
        return file !== undefined && sameFile(stat, file);
      }),
    );
  const expected = new Map<string, Expected>();
  for (const path of names) {
    if (!isSent(path) || carried.has(path) || isKept(path) || (isUnclear && path.endsWith('.csv'))) continue;
    const listed = listedBy(path);
    if (listed === null || !listed.every((one) => files.has(one) && isSent(one))) continue;
    let mode: string | null | undefined;
    for (const place of [
      sidecarOf(path),
      ...directoriesOf(path)
        .map((one) => joinPath(one, '.meta.json'))
        .toReversed(),
    ]) {
      const text = files.get(place)?.content;
      const read = text === undefined ? undefined : readSidecar(text);
      if (read === null) mode = undefined;
      if (read === null) break;
      mode = mode ?? read?.mode ?? null;
    }
    if (mode === undefined) continue;
    expected.set(path, {
      content: files.get(path)?.content ?? '',
      mode: mode ?? world.mode(),
      attachments: listed.map((one) => [nameOf(one), files.get(one)?.content ?? '']),
    });
  }
  // It waits as long as the document that carried it does: where that is gone, or is to be fixed by a person.
  for (const { ref, record } of world.ledger().entries()) {
    if (expected.has(ref.path) && (record.leftSidecars === undefined || !isHeldBack(world, ref.path)))
      continue;
    for (const { path, stat } of record.attachments) {
      expected.delete(path ?? '');
      for (const [one, file] of files) if (sameFile(stat, file)) expected.delete(one);
    }
  }
  return { files, expected };
}

/** A person is asked before more people see a document: its old attachments would show, or its sidecar lies beside it. */
function isHeldBack(world: DiskWorld, path: string): boolean {
  const state = world.engine().tasks.get({ folder: 'inbox', path })?.state;
  return (
    state?.kind === 'failed' && ['attachments-would-show', 'sidecar-left-behind'].includes(state.reason.code)
  );
}

/** At the end the service holds what the disk asks for, and whatever else it holds is known and listed. */
export function assertAgreement(world: DiskWorld): void {
  const { files, expected } = expectedOf(world);
  const docIds = world.docIds();
  const tasks = [...world.engine().tasks.all()].map(({ key, state }) => `${key} ${JSON.stringify(state)}`);
  for (const [path, wanted] of expected) {
    const docId = docIds.get(path);
    const held = docId === undefined ? undefined : world.service.documents.get(docId);
    assert.ok(held !== undefined, `${path} is not at the service: ${tasks.join('; ')}`);
    const mode = modeOf(held.metadata);
    if (isHeldBack(world, path)) {
      const isWider = shareModes.indexOf(wanted.mode as ShareMode) > shareModes.indexOf(mode);
      // An answer that was lost may have been of the wider mode.
      const isUnsure = world.ledger().get({ folder: 'inbox', path })?.unsure !== undefined;
      const isSidecarBeside = [...files.keys()].some(
        (one) => one.endsWith('.meta.json') && directoryOf(one) === directoryOf(path),
      );
      assert.ok((isWider || isUnsure) && (wanted.attachments.length === 0 || isSidecarBeside), path);
      assert.equal(held.content, wanted.content, path);
      continue;
    }
    const theirs = held.attachments.map((name, index) => [name, held.attachmentContents[index]]);
    const attachments = wanted.attachments.length === 0 ? [] : theirs;
    const record = world.ledger().get({ folder: 'inbox', path });
    const isKept =
      record?.heldModes?.some(({ file }) => file === undefined) === true &&
      world.sentModes.mayBeKept(mode, [wanted.mode], { file: files.get(path), docId });
    const found = { path, content: held.content, mode: isKept ? wanted.mode : mode, attachments };
    assert.deepEqual(found, { path, ...wanted });
  }
  for (const { ref, record } of world.ledger().entries()) {
    const stands = [...files].some(([path, file]) => path === ref.path || sameFile(record.stat, file));
    // It was not sent any more before it went: what the service holds is kept, and listed so.
    const isKept = world.engine().tasks.get(ref)?.state.kind === 'dormant';
    assert.ok(stands || isKept, `${ref.path} is gone, and the service holds it: ${tasks.join('; ')}`);
    // What a deletion without an answer has become of shows when something is sent again.
    const isHeld = world.service.documents.has(record.docId) || record.unsure?.gone === true;
    assert.ok(isHeld, `${refKey(ref)} is not at the service any more`);
  }
  const reported =
    world.ledger().possibleDuplicates() +
    world
      .ledger()
      .doubts()
      .reduce((total, { count }) => total + count, 0);
  assert.ok(world.service.documents.size - docIds.size <= reported, 'a duplicate is reported nowhere');
  assert.deepEqual(world.ledger().intents(), []);
}
