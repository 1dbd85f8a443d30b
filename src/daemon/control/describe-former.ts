import { existsSync } from 'node:fs';

import { pathBelow, pathInside } from '../../lib/files/path-inside.ts';
import type { DocumentRef } from '../../model/document.ts';
import { doubtsAbout } from '../../model/doubts.ts';
import type { FolderPort } from '../../model/ports/folder-port.ts';
import type { LedgerPort } from '../../model/ports/ledger-port.ts';
import { whySchema } from '../../model/report/command-reports.ts';
import type { Why } from '../../model/report/command-reports.ts';
import type { History } from '../history/history.ts';
import { metadataOf } from './held-metadata.ts';
import { absentFile, doubtNotes, remains, remembered } from './remembered.ts';
import { formerPath, resolvePath } from './resolve-path.ts';

interface Sources {
  readonly ledger: LedgerPort;
  readonly folders: readonly FolderPort[];
  readonly past: History['past'];
}

/**
 * What is known of a folder that was taken out of the configuration, or of a file in it, which is no longer scanned. Null:
 * the text means neither.
 */
export async function describeFormer(text: string, sources: Sources): Promise<Why | null> {
  const { ledger, past: pastOf } = sources;
  const ref = formerRef(text, sources);
  if (ref === null) return null;
  const record = ledger.get(ref);
  const past = await pastOf(ref);
  const isKnown = ledger.folders().includes(ref.folder) || isInLedger(ref, ledger) || past.length > 0;
  if (!isKnown) return null;
  const of = { ref, ledger, past };
  const { message: became, ...document } = absentFile(of);
  const fate = document.docId === null ? 'the ledger has no record of this file' : became;
  const isFolder = ref.path === '';
  return whySchema.parse({
    ...ref,
    ...remembered(of),
    ...document,
    verdict: {
      kind: 'unconfigured',
      code: 'unconfigured',
      message: `the folder "${ref.folder}" is not configured${isFolder ? '' : ', so this file is not scanned'}`,
    },
    ...metadataOf(null, record),
    attachments: record?.attachments.map(({ name, path }) => path ?? name),
    notes: [...(record === undefined && !isFolder ? [fate] : []), ...doubtNotes(of, true)],
    next: record === undefined ? 'nothing' : remains,
  });
}

/** By the name of its folder, or by the directory that the folder had. Null: a configured folder has it, or none. */
function formerRef(text: string, { folders, ledger }: Sources): DocumentRef | null {
  const inside = resolvePath(folders, text);
  const former = formerPath(folders, text);
  if (inside !== null && (former === null || isThere(inside))) return null;
  if (former !== null) return former;
  for (const folder of ledger.folders()) {
    const root = ledger.root(folder)?.path;
    const path = root === undefined || !text.startsWith('/') ? null : pathInside(root, text);
    if (path !== null) return { folder, path: path.normalize('NFC') };
  }
  return null;

  function isThere(ref: DocumentRef): boolean {
    const folder = folders.find(({ name }) => name === ref.folder);
    return isInLedger(ref, ledger) || (folder !== undefined && existsSync(pathBelow(folder.path, ref.path)));
  }
}

function isInLedger(ref: DocumentRef, ledger: LedgerPort): boolean {
  return (
    ledger.get(ref) !== undefined || ledger.failure(ref) !== undefined || doubtsAbout(ref, ledger).length > 0
  );
}
