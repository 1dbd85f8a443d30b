import type { AccessTokens } from './access-tokens.ts';
import type { Identity } from './identity.ts';
import type { SlidingWindow } from '../http/sliding-window.ts';
import type { TokenStore } from './token-store.ts';

/** What the token endpoints and the check of every ingestion call work with. */
export interface AuthContext {
  readonly identity: Identity;
  readonly accessTokens: AccessTokens;
  readonly tokenStore: TokenStore;
  readonly accessTokenSeconds: number;
  readonly authWindow: SlidingWindow;
}
