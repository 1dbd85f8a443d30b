import type { FoundDocument } from '../model/document.ts';
import type { Parts } from './parts.ts';

/** Says once what the interface gives no way to take back. */
export function sayUnclearable(
  parts: Parts,
  { ref }: Pick<FoundDocument, 'ref'>,
  unclearable: readonly { readonly message: string }[],
): void {
  for (const { message } of unclearable) parts.tell({ ...ref, what: 'warning', docId: null, message });
}
