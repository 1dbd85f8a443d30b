import type { NoDocument } from '../../model/document.ts';
import { cannotBeRead, readFaultOf, unreadableCode, unreadableCodeOf } from '../../model/errors.ts';

/** Nothing may be concluded. */
export function unknown(code: string, message: string): Extract<NoDocument, { kind: 'unknown' }> {
  return { kind: 'unknown', code, message };
}

/** Nothing may be concluded of a place, because a directory cannot be read. `code`: the file system's. */
export function unknownPlace(what: string, code: string | undefined): ReturnType<typeof unknown> {
  return unknown(unreadableCodeOf(code), cannotBeRead(what, code));
}

/**
 * A file that has a say in what is sent could not be opened, read or looked at: a person has to see to it (`barredAs`
 * is the reason's code then), or it is tried again. It never counts as absent for that. `code`: the file system's.
 */
export function notRead(what: string, code: string | undefined, barredAs = unreadableCode): NoDocument {
  switch (readFaultOf(code)) {
    case 'gone':
      // It is another one than a moment ago: it is inspected again at once.
      return settling(1);
    case 'barred': {
      const found = unreadableCodeOf(code);
      return unfit(found === unreadableCode ? barredAs : found, cannotBeRead(what, code));
    }
    case 'passing':
      return unknownPlace(what, code);
  }
}

/** It breaks a rule. */
export function unfit(code: string, message: string): NoDocument {
  return { kind: 'unfit', code, message };
}

/** It is not sent, and is listed with the reason. */
export function skipped(code: string, message: string): Extract<NoDocument, { kind: 'skipped' }> {
  return { kind: 'skipped', code, message };
}

/** It is not ours to send or to delete. */
export function ignored(code: string, message: string): Extract<NoDocument, { kind: 'ignored' }> {
  return { kind: 'ignored', code, message };
}

/** It changed a moment ago, or what is known of its directory is not up to date. */
export function settling(againMs: number): NoDocument {
  return { kind: 'settling', againMs };
}
