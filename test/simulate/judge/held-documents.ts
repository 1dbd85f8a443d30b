import type { Ending, ServiceRequest } from '../service/service.ts';
import type { Reading, RoledFile } from './reading.ts';
import type { ShareMode, Statement } from './statement.ts';

/** A document at the service, and the file that it is of. */
export interface HeldDocument {
  readonly docId: string;
  /** Of its file: it follows it wherever it goes, and a new file at its path is its own. */
  identity: object | null;
  path: string;
  /** Where its file was before: a new file there, or its file where it is now, is its own (contract 7.27, a rotation). */
  former: readonly string[];
  text: string;
  mode: ShareMode;
  /** By whom the mode was stated when it was last accepted. */
  statement: Statement;
  attachments: readonly string[];
  /** Files that came to a place where its own had been: each of them may be its own by now. */
  heirs: Set<object>;
  isDeleted: boolean;
  /** Whether ingestd was told of it. */
  answer: 'none' | 'usable' | 'unusable';
}

/** What the service holds, with its files. */
export class HeldDocuments {
  readonly all = new Map<string, HeldDocument>();
  /** Files that had two names at once: links that cannot be told apart. */
  readonly linked = new Set<object>();

  alive(): readonly HeldDocument[] {
    return [...this.all.values()].filter(({ isDeleted }) => !isDeleted);
  }

  /** The document of a path; where a rotation leaves two to choose from, the one with this text. */
  at(path: string, text: string): HeldDocument | undefined {
    const all = this.alive().filter((one) => one.path === path || one.former.includes(path));
    return all.find((one) => one.text === text) ?? all.find((one) => one.path === path);
  }

  /** The files that a document may be of. */
  filesOf(one: HeldDocument, reading: Reading): readonly RoledFile[] {
    const others = new Set(this.alive().map((other) => (other === one ? null : other.identity)));
    const paths = [one.path, ...one.former, ...[...one.heirs].flatMap((heir) => reading.pathsOf(heir))];
    return paths
      .map((path) => reading.files.get(path))
      .filter((file) => file !== undefined)
      .filter(({ identity }) => identity === one.identity || !others.has(identity));
  }

  /** The file that a change is of: the one with its text, else the one that it has. */
  changedFile(one: HeldDocument, text: string | undefined, reading: Reading): RoledFile | null {
    const places = [one.path, ...one.former].map((path) => reading.files.get(path));
    return places.find((file) => file?.content.toString() === text) ?? this.filesOf(one, reading)[0] ?? null;
  }

  /** Files have moved, gone or come. */
  follow(reading: Reading): void {
    for (const identity of reading.links()) this.linked.add(identity);
    for (const one of this.alive()) {
      if (one.identity === null) continue;
      // Nobody can tell which of several links has moved.
      if (this.linked.has(one.identity)) continue;
      const paths = reading.pathsOf(one.identity);
      if (paths.length === 0 || paths.includes(one.path)) continue;
      const path = paths.find((path) => reading.files.get(path)?.role.kind === 'document');
      if (path === undefined) continue;
      one.former = [...one.former.filter((former) => former !== path), one.path];
      one.path = path;
    }
    const taken = new Set(this.alive().map(({ identity }) => identity));
    for (const one of this.alive()) {
      for (const path of [one.path, ...one.former]) {
        const standing = reading.files.get(path)?.identity;
        if (standing === undefined || taken.has(standing)) continue;
        one.heirs.add(standing);
        // Its own is gone, and a new one stands in its place.
        if (path === one.path) one.identity = standing;
      }
    }
  }

  taken(request: ServiceRequest, created: string | null, file: RoledFile | null): void {
    const { kind, docIds, metadata } = request;
    if (kind === 'delete') {
      for (const docId of docIds) {
        const one = this.all.get(docId);
        if (one !== undefined) one.isDeleted = true;
      }
    }
    const mode = modeOf(request);
    const statement: Statement =
      file?.role.kind === 'document' ? file.role.statement : { mode: 'DEFAULT', by: 'nobody', place: '' };
    if (created !== null) {
      this.all.set(created, {
        docId: created,
        identity: file?.identity ?? null,
        path: file?.path ?? `?/${request.file?.name}`,
        former: [],
        text: request.file?.text ?? '',
        mode: mode ?? 'DEFAULT',
        statement,
        attachments: (request.attachments ?? []).map(({ text }) => text),
        heirs: new Set(),
        isDeleted: false,
        answer: 'none',
      });
    }
    if (kind !== 'modify') return;
    for (const docId of docIds) {
      const one = this.all.get(docId);
      if (one === undefined) continue;
      if (request.file !== null) one.text = request.file.text;
      if (request.file !== null && file !== null) {
        one.path = file.path;
        one.identity = file.identity;
        one.former = [];
        one.heirs.clear();
      }
      if (request.attachments !== null) one.attachments = request.attachments.map(({ text }) => text);
      if (metadata?.shareInfo !== undefined) {
        one.mode = mode ?? 'DEFAULT';
        one.statement = statement;
      }
    }
  }

  answered(created: string | null, { kind }: Ending): void {
    const one = created === null ? undefined : this.all.get(created);
    if (one === undefined) return;
    if (kind === 'ok') one.answer = 'usable';
    if (kind === 'no-doc-id') one.answer = 'unusable';
  }
}

/** The mode that a request sets; null: it sets none. */
export function modeOf({ kind, metadata }: ServiceRequest): ShareMode | null {
  const stated = metadata?.shareInfo;
  if (stated === undefined) return kind === 'upload' ? 'DEFAULT' : null;
  return (stated.mode ?? 'DEFAULT') as ShareMode;
}
