import { sizeWords } from '../lib/text/amounts.ts';
import { printable } from '../lib/text/printable.ts';
import { directoryOf, joinPath, nameOf } from './document.ts';
import type { FolderSettings } from './settings.ts';

/**
 * File types that the service takes, interface 4.8, lower case, and their media types. Fixed: form-data does not escape
 * what stands in a part's header, so it never comes from a file or a sidecar.
 */
const mediaTypes: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  html: 'text/html',
  htm: 'text/html',
  txt: 'text/plain',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  msg: 'application/vnd.ms-outlook',
  eml: 'message/rfc822',
  csv: 'text/csv',
  xlsb: 'application/vnd.ms-excel.sheet.binary.macroEnabled.12',
  xlsm: 'application/vnd.ms-excel.sheet.macroEnabled.12',
  one: 'application/onenote',
  tsv: 'text/tab-separated-values',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
};

/** File types that the service takes, interface 4.8, lower case. */
export const documentTypes: readonly string[] = Object.keys(mediaTypes);

/** Interface section 8. Counted in UTF-16 units of the NFC form: never fewer than characters, so never too lenient. */
const maxNameLength = 255;

/** Interface section 8. */
export const maxAttachments = 10;

/** A rule of interface section 8 that is broken: `message` says the rule and the fix. */
interface BrokenRule {
  readonly code:
    | 'name-too-long'
    | 'forbidden-character'
    | 'no-extension'
    | 'double-extension'
    | 'unsupported-type'
    | 'hidden-character'
    | 'too-large';
  readonly message: string;
}

/** How a file name fares: the name as it is sent, or the rule that it breaks. */
type NameVerdict =
  { readonly kind: 'fit'; readonly name: string } | ({ readonly kind: 'unfit' } & BrokenRule);

/**
 * Judges a file name by interface section 8, in NFC. With `rewrite`, extra dots become underscores first and that
 * name is judged and sent.
 */
export function judgeName(original: string, names: FolderSettings['names']): NameVerdict {
  const nfc = original.normalize('NFC');
  const name = names === 'rewrite' ? rewriteName(nfc) : nfc;
  const broken = brokenNameRule(name);
  return broken === null ? { kind: 'fit', name } : { kind: 'unfit', ...broken };
}

/** Says whether a file of `size` bytes may go out; exactly `maxFileBytes` may. Null: it may. */
export function judgeSize(size: number, maxFileBytes: number): BrokenRule | null {
  if (size <= maxFileBytes) return null;
  return {
    code: 'too-large',
    message: `the file is larger than ${sizeWords(maxFileBytes)} (${sizeWords(size)}); make it smaller or split it`,
  };
}

/** The rule that a name breaks by its extension; null: it ends in a type of interface 4.8. */
export function brokenTypeRule(name: string): BrokenRule | null {
  if (isDocumentType(name)) return null;
  const extension = extensionOf(name);
  const shown = extension.replaceAll(hiddenCharacters, '');
  if (shown !== extension && Object.hasOwn(mediaTypes, shown)) {
    const [hidden = ''] = extension.match(hiddenCharacters) ?? [];
    return {
      code: 'hidden-character',
      message: `the extension contains ${hiddenWords(hidden)}, so it is not .${shown}; rename the file`,
    };
  }
  if (extension === '') {
    const why = name.endsWith('.') ? 'the name ends with a dot' : 'the name has no extension';
    return { code: 'no-extension', message: `${why}, so the service cannot tell its type` };
  }
  return {
    code: 'unsupported-type',
    message: `the service does not accept files of type ${printable(extension)}`,
  };
}

/** Spaces, controls and characters without a shape: nobody sees them at the end of a name. */
const hiddenCharacters = /[\s\p{Cc}\p{Cf}\p{Z}]/gu;

function hiddenWords(character: string): string {
  if (character === ' ') return 'a space';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `an invisible character (U+${code})`;
}

/** Says whether the name ends in a type of interface 4.8, whatever its case. */
export function isDocumentType(name: string): boolean {
  return Object.hasOwn(mediaTypes, extensionOf(name));
}

/** The media type that goes with a file name's extension; `application/octet-stream` for others. */
export function mediaTypeOf(name: string): string {
  return isDocumentType(name) ? (mediaTypes[extensionOf(name)] as string) : 'application/octet-stream';
}

/** The extension after the last dot, in lower case; empty when there is no dot. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  // Not the locale's: in a Turkish one `TIF` would have no `i` (P19).
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The name without its last extension. A dot in front begins none. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

/** Turns every dot but the last into an underscore. */
export function rewriteName(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot === -1 ? name : name.slice(0, dot).replaceAll('.', '_') + name.slice(dot);
}

function brokenNameRule(name: string): BrokenRule | null {
  if (name.length > maxNameLength) {
    return {
      code: 'name-too-long',
      message: `the file name has ${name.length} characters and the service accepts at most ${maxNameLength}; shorten it`,
    };
  }
  const separator = /[/\\]/.exec(name)?.[0];
  if (separator !== undefined) {
    return {
      code: 'forbidden-character',
      message: `the file name contains a ${separator === '/' ? 'slash' : 'backslash'}, which the service does not accept; rename the file`,
    };
  }
  const type = brokenTypeRule(name);
  if (type?.code === 'hidden-character') return type;
  if (type !== null) return { ...type, message: `${type.message}; it accepts ${documentTypes.join(', ')}` };
  const dots = name.split('.').length - 1;
  if (dots > 1) {
    return {
      code: 'double-extension',
      message: `the file name has ${dots} dots, but the service accepts only one; rename the file, or set names: rewrite for this folder in your configuration`,
    };
  }
  return null;
}

/** The end of the name of a directory that holds a document's attachments. */
export const attachmentDirectoryEnd = '.attachments';

/** Says whether a directory of this name holds attachments and no documents. */
export function isAttachmentDirectory(name: string): boolean {
  return name.endsWith(attachmentDirectoryEnd) && name.length > attachmentDirectoryEnd.length;
}

/** The end of a sidecar's name. */
export const sidecarEnd = '.meta.json';

/** Where a document's sidecar may stand, the one that wins first: paths from the root. */
export function sidecarPlaces(document: string): { readonly byName: string; readonly byStem: string } {
  const stem = stemOf(nameOf(document));
  return {
    byName: `${document}${sidecarEnd}`,
    byStem: joinPath(directoryOf(document), `${stem}${sidecarEnd}`),
  };
}
