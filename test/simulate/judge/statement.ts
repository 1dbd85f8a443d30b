/** Sharing modes, the narrowest first (interface 2.6). */
export const modes = ['NONE', 'DEFAULT', 'EVERYONE'] as const;

export type ShareMode = (typeof modes)[number];

/** Who says with whom a document is shared (contract 7.27). */
export interface Statement {
  readonly mode: ShareMode;
  readonly by: 'sidecar' | 'directory' | 'folder' | 'nobody';
  /** Where it stands, as `placeOf` writes it: a deeper place begins with an outer one. */
  readonly place: string;
  /** The path of the file that says it; null: it stands in no file. */
  readonly file: string | null;
}

/** What the service holds of a document, as far as sharing goes. */
export interface Holding {
  readonly mode: ShareMode;
  /** As it was when the mode was last accepted. */
  readonly statement: Statement;
  /** Where the document was then. */
  readonly path: string;
  /** What stood in its file then; absent: it does not matter. */
  readonly text?: string | undefined;
  /** Where the same mode was stated before, which this could have widened; absent: nowhere. */
  readonly restates?: Statement | undefined;
}

export function isWider(mode: ShareMode, than: ShareMode): boolean {
  return modes.indexOf(mode) > modes.indexOf(than);
}

/** The place of a directory. The folder's own `metadata` stands outside of its root: there the path is ''. */
export function placeOf(folder: string, directory: string): string {
  return directory === '' ? `${folder}/` : `${folder}/.${directory.slice(folder.length)}/`;
}

/** Whether what is held may become as wide as what is stated now (contract 7.27). */
export function mayWiden({ statement: before, path }: Holding, now: Statement): boolean {
  if (now.by === 'sidecar') return true;
  if (before.by === 'sidecar' || now.by === 'nobody') return false;
  if (before.by === 'nobody' || now.place.startsWith(before.place)) return true;
  const folder = path.split('/')[0] ?? '';
  const wasAbove = placeOf(folder, path.slice(0, path.lastIndexOf('/'))).startsWith(now.place);
  return !wasAbove;
}

/** Whether a mode is wider than what is held allows, as things are stated now. */
export function widensByAbsence(mode: ShareMode, held: Holding, now: Statement): boolean {
  return isWider(mode, held.mode) && !mayWiden(held, now);
}

/** What a metadata file says, as far as the judge cares. */
export interface Said {
  /** Null: it states none. */
  readonly mode: ShareMode | null;
  /** As they are written. */
  readonly attachments: readonly string[];
}

const keys: ReadonlySet<string> = new Set([
  'title',
  'companies',
  'customTags',
  'shareInfo',
  'docAuthors',
  'documentOwner',
  'createdTimestamp',
  'sourceType',
  'documentUrl',
  'attachments',
]);

const read = new WeakMap<Buffer, Said | null>();

/** Reads a sidecar or a `.meta.json`; null: it is not valid (contract 7.10). A content is read once. */
export function readSaid(content: Buffer): Said | null {
  const known = read.get(content);
  if (known !== undefined) return known;
  const said = saidIn(content);
  read.set(content, said);
  return said;
}

function saidIn(content: Buffer): Said | null {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as Readonly<
      Record<string, unknown>
    >;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    if (Object.keys(value).some((key) => !keys.has(key))) return null;
    const share = value['shareInfo'] as { readonly mode?: unknown } | undefined;
    const mode = share === undefined ? null : (share.mode ?? 'DEFAULT');
    if (mode !== null && !(modes as readonly unknown[]).includes(mode)) return null;
    const list = value['attachments'] ?? [];
    if (!Array.isArray(list) || list.some((one) => typeof one !== 'string')) return null;
    return { mode: mode as ShareMode | null, attachments: list as readonly string[] };
  } catch {
    return null;
  }
}
