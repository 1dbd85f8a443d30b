import type { BulkModifyRequest } from '../../model/ports/service-port.ts';
import type { Task } from '../tasks/task.ts';
import { markUnsure } from './modify.ts';
import type { Modifiable } from './modify.ts';
import type { RequestAbout } from './tracked-request.ts';

/** One document of a bulk call. */
export interface BulkMember {
  readonly task: Task;
  readonly found: Modifiable;
}

/** One metadata change of many documents of a folder in one call, interface 4.6; null: nothing that a bulk call can carry. */
export function bulkModify(
  members: readonly BulkMember[],
): { readonly about: RequestAbout; readonly request: BulkModifyRequest } | null {
  const [first] = members;
  const bulk = first?.found.operation.bulk ?? null;
  if (first === undefined || bulk === null) return null;
  return {
    about: {
      folder: first.task.ref.folder,
      path: '',
      operation: 'bulk_modify',
      bytesTotal: 0,
      documents: members.length,
      before: members.map(({ task, found: { operation, record } }) =>
        markUnsure(task.ref, record, operation),
      ),
    },
    request: { docIds: members.map(({ found }) => found.operation.docId), ...bulk.change },
  };
}
