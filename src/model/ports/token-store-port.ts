import type { Credentials } from '../settings.ts';

/** A token as it is shared. */
export interface SharedToken {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly lifeMs: number;
  /** Another one is asked for so long before its end. */
  readonly aheadMs: number;
  readonly leftMs: number;
}

/** One token for all hosts with the same credentials. */
export interface TokenStorePort {
  /**
   * Another token than `stale`: the one that is shared, or what `ask` gives, which one host at a time calls on behalf
   * of all. Throws what `ask` throws, and CredentialsRefusedError or ServiceUnavailableError where another host has just
   * been told so. Where nothing can be shared, `ask` is called.
   */
  readonly obtain: (
    credentials: Credentials,
    stale: string | null,
    ask: (refreshToken: string | null) => Promise<SharedToken>,
  ) => Promise<SharedToken>;
  /** The next `obtain` asks, whatever another host was told. */
  readonly forget: () => void;
}
