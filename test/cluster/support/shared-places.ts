import { join } from 'node:path';

import { installation } from '../../support/processes/daemon-process.ts';
import type { Installation } from '../../support/processes/daemon-process.ts';

interface Service {
  readonly authUrl: string;
  readonly ingestUrl: string;
}

/** Hosts with one folder and, unless they have their own, one state directory: those of the first. */
export interface SharedPlaces {
  /** `part`: a directory in the folder; this host has no more of it. */
  readonly add: (name: string, more?: object, part?: string) => Promise<Installation>;
  readonly remove: () => Promise<void>;
}

export function sharedPlaces(
  redisUrl: string,
  { authUrl, ingestUrl }: Service,
  { ownState = false }: { readonly ownState?: boolean } = {},
): SharedPlaces {
  const places: Installation[] = [];
  return {
    add: async (name, more = {}, part = '.') => {
      const first = places[0];
      const place = await installation({
        authUrl,
        ingestUrl,
        more: {
          service: more,
          cluster: { redisUrl, account: 'shared', host: name },
          ...(first === undefined
            ? {}
            : {
                ...(ownState ? {} : { state: { dir: first.home.join('state') } }),
                folders: [{ name: 'inbox', path: join(first.inbox, part) }],
              }),
        },
      });
      places.push(place);
      return place;
    },
    remove: async () => {
      for (const place of places.toReversed()) await place.remove();
    },
  };
}
