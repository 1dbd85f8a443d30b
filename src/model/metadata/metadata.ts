/** Interface 2.4. */
export const companyIdentifiers = ['ISIN', 'CUSIP', 'SEDOL', 'VALOR', 'TICKER', 'NAME', 'CIK'] as const;
/** Interface 2.4. */
export const saliences = ['PRIMARY', 'SECONDARY'] as const;
/** Interface 2.5. */
export const tagVisibilities = ['PRIVATE', 'PUBLIC'] as const;
/** Interface 2.6. */
export const shareModes = ['NONE', 'DEFAULT', 'EVERYONE'] as const;
/** Interface 2.4, 2.5. */
export const elementOperations = ['ADD', 'DELETE'] as const;

export type ElementOperation = (typeof elementOperations)[number];

/** Interface 2.4: a company. `operation` as stated in a sidecar is sent unchanged. */
export interface Company {
  readonly value: string;
  readonly operation?: ElementOperation | undefined;
  readonly identifier?: (typeof companyIdentifiers)[number] | undefined;
  readonly salience?: (typeof saliences)[number] | undefined;
}

/** Interface 2.5: a custom tag. */
export interface CustomTag {
  readonly name: string;
  readonly operation?: ElementOperation | undefined;
  readonly visibility?: (typeof tagVisibilities)[number] | undefined;
}

/** Interface 2.6. An empty object means mode DEFAULT. */
export interface ShareInfo {
  readonly mode?: (typeof shareModes)[number] | undefined;
}

/** Interface 2.7. Authors can only be added. */
export interface DocumentAuthor {
  readonly authorName: string;
  readonly operation?: 'ADD' | undefined;
}

/** Interface 2.2, without operations worked out: what should be true of a document, or what the service accepted. */
export interface Metadata {
  readonly title?: string | undefined;
  readonly companies?: readonly Company[] | undefined;
  readonly customTags?: readonly CustomTag[] | undefined;
  readonly shareInfo?: ShareInfo | undefined;
  readonly docAuthors?: readonly DocumentAuthor[] | undefined;
  readonly documentOwner?: string | undefined;
  /** yyyy-mm-ddThh:mm:ssZ; goes out with an upload only. */
  readonly createdTimestamp?: string | undefined;
  readonly sourceType?: string | undefined;
  readonly documentUrl?: string | undefined;
}
