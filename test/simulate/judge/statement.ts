/** Sharing modes, the narrowest first (interface 2.6). */
const modes = ['NONE', 'DEFAULT', 'EVERYONE'] as const;

export type ShareMode = (typeof modes)[number];

/** Who says with whom a document is shared (contract 7.27). */
export interface Statement {
  readonly mode: ShareMode;
  readonly by: 'sidecar' | 'directory' | 'folder' | 'nobody';
  /** The directory in which it stands; of a sidecar and of nobody it says nothing. */
  readonly place: string;
}

export function isWider(mode: ShareMode, than: ShareMode): boolean {
  return modes.indexOf(mode) > modes.indexOf(than);
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

/** Reads a sidecar or a `.meta.json`; null: it is not valid (contract 7.10). */
export function readSaid(content: Buffer): Said | null {
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
