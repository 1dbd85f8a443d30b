import type { Credentials } from '../settings.ts';

/** A token as it is shared, with what is left of its life. */
export interface SharedToken {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly lifeMs: number;
  readonly leftMs: number;
}

/** One token for all hosts with the same credentials. */
export interface TokenStorePort {
  /**
   * Another token than `stale`: the one that is shared and `isGood`, or what `ask` gives, which one host at a time
   * calls. Throws what `ask` throws, and CredentialsRefusedError or ServiceUnavailableError where another host has just
   * been told so. Where nothing can be shared, `ask` is called.
   */
  readonly obtain: (
    credentials: Credentials,
    options: {
      readonly stale: string | null;
      /** Whether enough is left of its life. */
      readonly isGood: (token: Pick<SharedToken, 'lifeMs' | 'leftMs'>) => boolean;
      /** Asks the token endpoint, on behalf of all. */
      readonly ask: (refreshToken: string | null) => Promise<SharedToken>;
    },
  ) => Promise<SharedToken>;
  /** The next `obtain` asks, whatever another host was told. */
  readonly forget: () => void;
}
