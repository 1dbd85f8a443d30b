/** The right of one host to write a state directory that several share, and to send what is in it. */
export interface WriteLease {
  /** One higher than that of the holder before. It stands in the names of the ledger's files. */
  readonly fence: number;
  /** Resolves while the lease holds, asking Redis where it may have lapsed. Rejects where it is lost. */
  readonly confirm: () => Promise<void>;
  /** False when it was not renewed in time by either clock of this host. */
  readonly holds: () => boolean;
}
