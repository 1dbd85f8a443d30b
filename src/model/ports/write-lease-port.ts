/** The right of one host to write a state directory that several share, and to send what is in it. */
export interface WriteLease {
  /** One higher than that of the holder before. It stands in the names of the ledger's files. */
  readonly fence: number;
  /** The hosts among which it is one host's. */
  readonly fleet: string;
  /** Resolves while the lease holds, asking Redis where it may have lapsed. Rejects where it is lost. */
  readonly confirm: () => Promise<void>;
  /** False when it was not renewed in time by either clock of this host. */
  readonly holds: () => boolean;
}

/** What a state directory itself says of those who had its lease. */
export interface LeaseTraces {
  /** The highest fence in the names of its files; 0: none. */
  readonly highestFence: number;
  /** The fence of the last holder, where its process has ended on this machine without any doubt; 0: not known. */
  readonly endedFence: number;
}
