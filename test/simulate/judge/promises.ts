/** What a run may break, and the sections of the contract that promise it. */
export const promises = {
  'attachment-alone': '4',
  'attachments-at-end': '4',
  crash: '2',
  'deleted-kept': '2',
  'deleted-standing': '4, 7.25',
  'deleted-unguarded': '3, 7.15',
  'deleted-unseen': '7.25',
  doubled: '7.1, 7.25, 7.32, safety.inDoubt',
  incomplete: '7.36',
  'kept-back': '7.38',
  'left-over': '7.25',
  missing: '7.18',
  'narrower-at-end': '7.27',
  'never-quiet': '7.4',
  'not-there': '7.30',
  numbers: '6',
  'old-at-end': '7.31',
  'old-content': '7.30',
  'refused-at-end': '7.18',
  'sent-while-paused': '2',
  'start-sends': '5',
  'too-many': '3',
  torn: '7.30',
  unfinished: '2, 7.18',
  'unfit-sent': '4',
  'unready-sent': '4, 7.10, 7.29, 7.35',
  unquiet: '7.28',
  unreported: '6, 7.7',
  unsettled: '7.31',
  'unsettled-statement': '7.27',
  'unstopped-uploads': '7.32',
  untold: '7.18, 7.20, 7.29',
  'waits-at-end': '6, 7.26',
  'waits-for-nothing': '6',
  wider: '7.27',
  'wider-at-end': '7.27',
  'wider-than-its-file': '7.27',
  'wider-than-meant': '7.28',
  'widened-by-absence': '7.27',
  'widened-over-attachments': '7.27',
  written: '4',
  'wrong-attachments': '4, 7.8',
  'wrong-file': '7.1, 7.19',
} as const;

type BrokenPromise = keyof typeof promises;

/** A promise that was broken, and behind a slash how. */
export type Kind = BrokenPromise | `${BrokenPromise}/${string}`;

/** The promise without how it was broken. */
export function promiseOf(kind: Kind): BrokenPromise {
  return (kind.split('/')[0] ?? kind) as BrokenPromise;
}
