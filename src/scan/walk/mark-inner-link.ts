import { realpathSync } from 'node:fs';

import { pathInside } from '../../lib/files/path-inside.ts';
import { orNull } from '../../lib/or-null.ts';
import { isAttachmentDirectory } from '../../model/names-and-types.ts';
import { ignoreFileName } from '../rules/classify.ts';
import type { Entry } from '../rules/entry.ts';
import { isSidecarName } from '../rules/sidecar-names.ts';

/**
 * Tells a symbolic link to a place inside the folder, which is listed there by itself unless it is hidden, from others.
 * What stands for a sidecar, rules or attachments is any link: it would speak for another directory.
 */
export function markInnerLink(entry: Entry, absolute: string, realRoot: string): Entry {
  const { kind, name } = entry;
  if (kind !== 'link' || name === ignoreFileName || isSidecarName(name) || isAttachmentDirectory(name))
    return entry;
  const inside = orNull(() => pathInside(realRoot, realpathSync(absolute)));
  return inside === null || /(^|\/)\./u.test(inside) ? entry : { ...entry, kind: 'inner-link' };
}
