import { modeOf, shareModes } from '../../../src/model/metadata/metadata.ts';
import type { ShareMode } from '../../../src/model/metadata/metadata.ts';
import type { OutgoingRequest } from '../../support/worlds/simulated-service.ts';
import type { DiskWorld } from './disk-world.ts';
import type { ScannedSource } from './scanned-folder.ts';

type File = Pick<ScannedSource, 'ino' | 'birthtimeMs'>;

/** Sharing modes by which files and documents went out: they go with the file, and with its document. */
export class SentModes {
  readonly #modes = new Map<string, Set<ShareMode>>();

  /** A request goes out. */
  note({ service, ledger }: DiskWorld, { kind, docIds, metadata, ...request }: OutgoingRequest): void {
    if (kind === 'delete') return;
    const [docId] = docIds;
    const held = docId === undefined ? undefined : service.documents.get(docId)?.metadata;
    const mode = modeOf(metadata?.shareInfo === undefined ? (held ?? metadata ?? {}) : metadata);
    for (const one of docIds) this.#add(one, mode);
    const sources = request.sources as readonly ScannedSource[];
    const owner = kind === 'upload' ? sources[0]?.path : ledger().findByDocId(docId ?? '')?.path;
    for (const source of sources) this.#add(keyOf(source), source.path === owner ? mode : 'NONE');
  }

  /** Whether a mode that is narrower than `asked` may be that of the file, or of the document that it had before. */
  mayBeKept(
    mode: ShareMode,
    asked: Iterable<string>,
    { file, docId }: { readonly file: File | undefined; readonly docId: string | undefined },
  ): boolean {
    const isNarrower = [...asked].some(
      (one) => shareModes.indexOf(mode) < shareModes.indexOf(one as ShareMode),
    );
    const keys = [...(file === undefined ? [] : [keyOf(file)]), ...(docId === undefined ? [] : [docId])];
    return isNarrower && keys.some((key) => this.#modes.get(key)?.has(mode) === true);
  }

  #add(key: string, mode: ShareMode): void {
    this.#modes.set(key, (this.#modes.get(key) ?? new Set()).add(mode));
  }
}

function keyOf({ ino, birthtimeMs }: File): string {
  return `${ino} ${birthtimeMs}`;
}
