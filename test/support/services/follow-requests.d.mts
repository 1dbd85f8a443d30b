/** A request as it arrived; `status` is null until it is answered. */
export interface FollowedRequest {
  readonly operation: string;
  readonly atMs: number;
  readonly status: number | null;
}

export function followRequests(
  address: string,
  now?: () => number,
): { readonly requestLog: () => readonly FollowedRequest[]; readonly stop: () => void };
