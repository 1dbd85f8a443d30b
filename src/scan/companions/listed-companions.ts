/** A directory's sidecars, defaults and ignore rules as a scan saw them. */
export interface ListedCompanions {
  /** The sidecars and the attachments that they list; null for none. */
  readonly lists: ReadonlyMap<string, SidecarList> | null;
  /** Stat of its own `.meta.json`; '' for none. */
  readonly defaultsKey: string;
  /** Stat of its own `.ingestignore`; '' for none. */
  readonly rulesKey: string;
}

export interface SidecarList {
  /** Its stat, or its kind where it is no regular file. */
  readonly key: string;
  /** It was read in full and is valid as it stands. */
  readonly isValid: boolean;
  /** As written, when it was last valid. Empty for a sidecar that lists none, or never was. */
  readonly attachments: readonly string[];
}
