/** What a code means, for a person: a heading and what to do about it. */
export interface Explanation {
  /** A few words, as a heading. */
  readonly cause: string;
  /** One or two sentences. */
  readonly mend: string;
}

const renameFile = 'Rename the file; it is tried again at once.';
const fixSidecar =
  'Correct the JSON at the place that is named; the document waits for it and is not sent until then.';
const itRepeats = 'Nothing has to be done: it is tried again by itself.';
const checkService =
  'Check service.authUrl and service.ingestUrl in the configuration, then restart or send SIGHUP.';
const makeReadable =
  'Give the user that runs ingestd the right to read it; nothing below it is deleted meanwhile.';
const asService = 'Read the service’s words below, mend the document or its sidecar, then retry.';

const explanations: Readonly<Record<string, Explanation>> = {
  // File names, sizes and types: interface section 8.
  'double-extension': {
    cause: 'More than one dot in the name',
    mend: 'Rename the file so that its only dot stands before the extension, or set names: rewrite for the folder.',
  },
  'name-too-long': { cause: 'Name too long', mend: `The service takes 255 characters. ${renameFile}` },
  'forbidden-character': { cause: 'Slash or backslash in the name', mend: renameFile },
  'no-extension': { cause: 'Name without an extension', mend: `Types are told by it. ${renameFile}` },
  'unsupported-type': {
    cause: 'A type that the service does not take',
    mend: 'Save it as another type, for example PDF, or name it in .ingestignore so that it is no longer listed.',
  },
  'too-large': {
    cause: 'Too large',
    mend: 'Make the file smaller or split it. The limit holds for each file, attachments too.',
  },
  'empty-file': { cause: 'Empty', mend: 'It is sent as soon as something is in it.' },
  'not-utf8': { cause: 'Name that is not UTF-8', mend: 'Rename the file, for example with convmv.' },
  'unicode-twin': {
    cause: 'Two names that look the same',
    mend: 'They differ only in how accents are written (NFC and NFD). Rename one of the two.',
  },
  'symbolic-link': {
    cause: 'Symbolic link',
    mend: 'Put the file itself here, or set followSymlinks: true for links that stay inside the folder.',
  },
  unstable: { cause: 'Never stops changing', mend: 'It is sent once it has been quiet for timing.settleMs.' },

  // Sidecars and attachments: contract section 4.
  'sidecar-invalid': { cause: 'Sidecar that cannot be used', mend: fixSidecar },
  'sidecar-unreadable': { cause: 'Sidecar that cannot be read', mend: makeReadable },
  'sidecar-missing': {
    cause: 'Waits for its sidecar',
    mend: 'This folder has sidecar: required. Write NAME.meta.json beside the document.',
  },
  'ambiguous-sidecar': {
    cause: 'One sidecar, several documents',
    mend: 'Rename it to the full name of its document, as in report.pdf.meta.json.',
  },
  'orphan-sidecar': {
    cause: 'Sidecar without a document',
    mend: 'Put its document beside it, or remove it. It does no harm.',
  },
  'defaults-invalid': { cause: 'Directory defaults that cannot be used', mend: fixSidecar },
  'attachment-missing': {
    cause: 'Attachment that is not there',
    mend: 'Put the file where the sidecar says, or take it out of the sidecar’s attachments.',
  },
  'attachment-outside': {
    cause: 'Attachment outside of the folder',
    mend: 'Copy it into the folder and name it relative to the document.',
  },
  'attachment-invalid': {
    cause: 'Attachment that cannot be sent',
    mend: 'It has to be a regular file whose name, type and size the service takes.',
  },
  'too-many-attachments': {
    cause: 'Too many attachments',
    mend: 'The service takes ten for each document. Remove some, or send them as documents of their own.',
  },

  // Reading.
  unreadable: { cause: 'Cannot be read', mend: makeReadable },
  'content-unreadable': { cause: 'Cannot be read to its end', mend: makeReadable },
  'folder-missing': {
    cause: 'Folder that is not there',
    mend: 'Mount it or create it; ingestd goes on by itself and deletes nothing meanwhile.',
  },
  'folder-unreadable': { cause: 'Folder that cannot be read', mend: makeReadable },
  'folder-changed': {
    cause: 'Another folder in its place',
    mend: 'Something else is mounted or was created there. Deletions are frozen until the first is back.',
  },
  'folder-unavailable': {
    cause: 'Folder that is not available',
    mend: 'Mount it or make it readable; ingestd goes on by itself and deletes nothing meanwhile.',
  },
  'watch-limit': {
    cause: 'Out of watches',
    mend: 'The folder is polled instead. Raise the limit: sysctl -w fs.inotify.max_user_watches=524288',
  },

  // What the service says of one document.
  'error-envelope': { cause: 'Refused by the service', mend: asService },
  'bad-request': { cause: 'Refused by the service (400)', mend: asService },
  unprocessable: { cause: 'Refused by the service (422)', mend: asService },
  forbidden: {
    cause: 'Not allowed by the service (403)',
    mend: 'Ask the service’s administrator for the right, or set another documentOwner; then retry.',
  },
  'not-found': {
    cause: 'Address unknown to the service (404)',
    mend: checkService,
  },
  missing: {
    cause: 'No longer known to the service',
    mend: 'It was removed there. Set service.onMissing: upload to have it sent anew, or remove the file here.',
  },
  gone: {
    cause: 'No longer known to the service',
    mend: 'It was removed there. Set service.onMissing: upload to have it sent anew, or remove the file here.',
  },
  conflict: { cause: 'In conflict at the service (409)', mend: asService },
  'unsupported-media-type': { cause: 'Type refused by the service (415)', mend: asService },
  'in-doubt': {
    cause: 'Held: its last upload is in doubt',
    mend: 'Look at the service whether it is there; retry sends it once more.',
  },

  // The service as a whole.
  'credentials-refused': {
    cause: 'Credentials refused',
    mend: 'Correct them, prove them with: ingestd auth login, then send SIGHUP. Nothing is lost meanwhile.',
  },
  'credential-missing': {
    cause: 'Credentials missing',
    mend: 'Set them as README says, or run: ingestd init',
  },
  'service-unavailable': { cause: 'Service out of reach', mend: itRepeats },
  'service-unreachable': { cause: 'Service out of reach', mend: itRepeats },
  'rate-limited': { cause: 'The service asks to wait', mend: itRepeats },
  redirect: { cause: 'The service’s address redirects', mend: checkService },
  misaddressed: { cause: 'Wrong address of the service', mend: checkService },
  'mass-missing': { cause: 'Many documents unknown to the service', mend: checkService },
  tls: {
    cause: 'The service’s certificate is not trusted',
    mend: 'Check the address; for a private authority set NODE_EXTRA_CA_CERTS to its certificate.',
  },
  'proxy-authentication': {
    cause: 'The proxy asks for a password',
    mend: 'Put user and password into HTTPS_PROXY.',
  },
  'proxy-refused': { cause: 'The proxy refuses', mend: 'Check HTTPS_PROXY and NO_PROXY.' },

  // This machine.
  'ledger-unwritable': {
    cause: 'The ledger cannot be written',
    mend: 'Make room in the state directory or make it writable. Sending waits and goes on by itself.',
  },
  'state-unwritable': {
    cause: 'The state directory cannot be written',
    mend: 'Make it writable for the user that runs ingestd. Sending waits and goes on by itself.',
  },
  'state-disk-full': {
    cause: 'The disk of the state directory is full',
    mend: 'Make room. Sending waits and goes on by itself.',
  },
  'deletions-held': {
    cause: 'Deletions are held',
    mend: 'Put the files back, or approve the deletion here or with: ingestd approve',
  },
};

/** A heading and a mend for a code of a failure, a skip or a reason, whether it is known or not. */
export function explain(code: string): Explanation {
  if (Object.hasOwn(explanations, code)) return explanations[code] as Explanation;
  const status = /^http-(\d{3})$/.exec(code)?.[1];
  if (status !== undefined && status >= '500') {
    return { cause: `Error of the service (${status})`, mend: itRepeats };
  }
  if (status !== undefined) return { cause: `Refused by the service (${status})`, mend: asService };
  if (/-timeout$|^no-answer$|^answer-/.test(code))
    return { cause: 'No usable answer of the service', mend: itRepeats };
  return { cause: headline(code), mend: 'The message says what is the matter. Mend it, then retry.' };
}

/** What to do about a code, in one or two sentences. */
export function mendFor(code: string): string {
  return explain(code).mend;
}

function headline(code: string): string {
  const words = code.replaceAll('-', ' ').trim();
  return words === '' ? 'Failed' : words.charAt(0).toUpperCase() + words.slice(1);
}
