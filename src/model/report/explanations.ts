/** What a code means, for a person: a heading and what to do about it. */
export interface Explanation {
  /** A few words, as a heading. */
  readonly cause: string;
  /** One or two sentences. */
  readonly fix: string;
  /** The message of every such trouble tells the fix already: beside it, it is not told again. */
  readonly inMessage?: true;
}

/** Codes of one kind of trouble. */
export interface ExplanationGroup {
  /** What the troubles have in common, as a heading. */
  readonly title: string;
  readonly codes: Readonly<Record<string, Explanation>>;
}

const renameFile = 'Rename the file; it is tried again at once.';
const fixSidecar =
  'Correct the JSON at the place that is named; the document waits for it and is not sent until then.';
export const itRepeats = 'Nothing has to be done: it is tried again by itself.';
export const checkService =
  'Check service.authUrl and service.ingestUrl in the configuration, then restart or send SIGHUP.';
const makeReadable =
  'Give the user that runs ingestd the right to read it; nothing below it is deleted meanwhile.';
export const asService = 'Read the service’s words below, fix the document or its sidecar, then retry.';

/** Every trouble that ingestd knows a fix for, in the order in which documentation shows them. */
export const explanationGroups: readonly ExplanationGroup[] = [
  {
    title: 'Names, sizes and types',
    codes: {
      'double-extension': {
        cause: 'More than one dot in the name',
        fix: 'Rename the file so that its only dot stands before the extension, or set names: rewrite for the folder.',
        inMessage: true,
      },
      'name-too-long': {
        cause: 'Name too long',
        fix: `The service takes 255 characters. ${renameFile}`,
        inMessage: true,
      },
      'forbidden-character': { cause: 'Slash or backslash in the name', fix: renameFile, inMessage: true },
      'no-extension': {
        cause: 'Name without an extension',
        fix: `Types are told by it. ${renameFile}`,
        inMessage: true,
      },
      'unsupported-type': {
        cause: 'A type that the service does not take',
        fix: 'Save it as another type, for example PDF, or name it in .ingestignore so that it is no longer listed.',
      },
      'too-large': {
        cause: 'Too large',
        fix: 'Make the file smaller or split it. The limit holds for each file, attachments too.',
        inMessage: true,
      },
      'empty-file': { cause: 'Empty', fix: 'It is sent as soon as something is in it.' },
      'not-utf8': { cause: 'Name that is not UTF-8', fix: 'Rename the file, for example with convmv.' },
      'unicode-twin': {
        cause: 'Two names that look the same',
        fix: 'They differ only in how accents are written (NFC and NFD). Rename one of the two.',
      },
      'symbolic-link': {
        cause: 'Symbolic link',
        fix: 'Put the file itself here, or set followSymlinks: true for links that stay inside the folder.',
      },
    },
  },
  {
    title: 'Sidecars and attachments',
    codes: {
      'sidecar-invalid': { cause: 'Sidecar that cannot be used', fix: fixSidecar },
      'sidecar-unreadable': { cause: 'Sidecar that cannot be read', fix: makeReadable },
      'moved-unsent': {
        cause: 'Moved to where it cannot be sent',
        fix: 'Fix what is said of the file where it stands now. Until then the service keeps the document as it was.',
      },
      'sidecar-missing': {
        cause: 'Waits for its sidecar',
        fix: 'This folder has sidecar: required. Write NAME.meta.json beside the document.',
      },
      'ambiguous-sidecar': {
        cause: 'One sidecar, several documents',
        fix: 'Rename it to the full name of its document, as in report.pdf.meta.json.',
        inMessage: true,
      },
      'orphan-sidecar': {
        cause: 'Sidecar without a document',
        fix: 'Put its document beside it, or remove it. It does no harm.',
      },
      'orphan-attachments': {
        cause: 'Attachments without a document',
        fix: 'Put their document beside the directory, under the name before .attachments, or name the directory in .ingestignore.',
      },
      'defaults-invalid': { cause: 'Directory defaults that cannot be used', fix: fixSidecar },
      'attachment-missing': {
        cause: 'Attachment that is not there',
        fix: 'Put the file where the sidecar says, or take it out of the sidecar’s attachments.',
      },
      'attachment-outside': {
        cause: 'Attachment outside of the folder',
        fix: 'Copy it into the folder and name it relative to the document.',
      },
      'attachment-invalid': {
        cause: 'Attachment that cannot be sent',
        fix: 'It has to be a regular file whose name, type and size the service takes.',
      },
      'attachment-empty': {
        cause: 'Attachment that is empty',
        fix: 'It is sent as soon as something is in it.',
      },
      'too-many-attachments': {
        cause: 'Too many attachments',
        fix: 'The service takes ten for each document. Remove some, or send them as documents of their own.',
      },
    },
  },
  {
    title: 'Folders and reading',
    codes: {
      unreadable: { cause: 'Cannot be read', fix: makeReadable },
      'content-unreadable': { cause: 'Cannot be read to its end', fix: makeReadable },
      'unreadable-directory': { cause: 'Directory that cannot be read', fix: makeReadable },
      'content-changed': { cause: 'Changed while it was sent', fix: itRepeats },
      'folder-missing': {
        cause: 'Folder that is not there',
        fix: 'Mount it or create it; ingestd goes on by itself and deletes nothing meanwhile.',
      },
      'folder-unreadable': { cause: 'Folder that cannot be read', fix: makeReadable },
      'folder-changed': {
        cause: 'Another folder in its place',
        fix: 'Something else is mounted or was created there. Deletions are frozen until the first is back.',
      },
      'folder-unavailable': {
        cause: 'Folder that is not available',
        fix: 'Mount it or make it readable; ingestd goes on by itself and deletes nothing meanwhile.',
      },
      'watch-limit': {
        cause: 'Out of watches',
        fix: 'The folder is polled instead. Raise the limit: sysctl -w fs.inotify.max_user_watches=524288',
      },
    },
  },
  {
    title: 'What the service says of one document',
    codes: {
      'error-envelope': { cause: 'Refused by the service', fix: asService },
      'bad-request': { cause: 'Refused by the service (400)', fix: asService },
      unprocessable: { cause: 'Refused by the service (422)', fix: asService },
      forbidden: {
        cause: 'Not allowed by the service (403)',
        fix: 'Ask the service’s administrator for the right, or set another documentOwner; then retry.',
      },
      'not-found': {
        cause: 'Address unknown to the service (404)',
        fix: checkService,
      },
      'missing-at-service': {
        cause: 'No longer known to the service',
        fix: 'It was removed there. Set service.onMissing: upload to have it sent anew, or remove the file here.',
      },
      'no-doc-id': {
        cause: 'Taken without a docId',
        fix: 'Look at the service whether it is there; it counts as in doubt, as safety.inDoubt says.',
      },
      'docid-conflict': {
        cause: 'A docId that another document has',
        fix: 'The service answered with a docId that is in use. Ask its administrator, then retry.',
      },
      gone: {
        cause: 'Address no longer known to the service (410)',
        fix: checkService,
      },
      'method-not-allowed': { cause: 'Not understood by the service (405)', fix: checkService },
      'length-required': { cause: 'Not understood by the service (411)', fix: checkService },
      'too-long': { cause: 'Address too long for the service (414)', fix: asService },
      'headers-too-large': { cause: 'Headers too large for the service (431)', fix: asService },
      'invalid-request': {
        cause: 'A request that would not be valid',
        fix: 'The message says which part of the document or its metadata is at fault; fix it there.',
      },
      conflict: { cause: 'In conflict at the service (409)', fix: asService },
      'unsupported-media-type': { cause: 'Type refused by the service (415)', fix: asService },
      'in-doubt': {
        cause: 'Held: its last upload is in doubt',
        fix: 'Look at the service whether it is there; retry sends it once more.',
      },
    },
  },
  {
    title: 'The service as a whole',
    codes: {
      'configuration-refused': {
        cause: 'The configuration on disk is not the one that runs',
        fix: 'Correct what is named (`ingestd check` tells too), then send SIGHUP. The one before goes on meanwhile.',
      },
      'credentials-refused': {
        cause: 'Credentials refused',
        fix: 'Correct them, prove them with: ingestd auth login, then send SIGHUP. Nothing is lost meanwhile.',
      },
      'no-access': {
        cause: 'The service allows this user nothing',
        fix: 'Documents are refused one after the other (403). Ask the service’s administrator for the right; it is tried again by itself.',
      },
      'not-signed-in': { cause: 'Not signed in yet', fix: itRepeats },
      'no-token': { cause: 'No token could be had', fix: itRepeats },
      'auth-not-found': {
        cause: 'Wrong address of the token endpoints',
        fix: 'Check service.authUrl in the configuration, then restart or send SIGHUP.',
      },
      clock: {
        cause: 'This machine’s clock is wrong',
        fix: 'Set it: timedatectl set-ntp true. A wrong clock makes tokens look expired.',
      },
      'credential-missing': {
        cause: 'Credentials missing',
        fix: 'Set them as README says, or run: ingestd init',
      },
      'service-unavailable': { cause: 'Service out of reach', fix: itRepeats },
      'service-unreachable': { cause: 'Service out of reach', fix: itRepeats },
      redirect: { cause: 'The service’s address redirects', fix: checkService },
      misaddressed: { cause: 'Wrong address of the service', fix: checkService },
      tls: {
        cause: 'The service’s certificate is not trusted',
        fix: 'Check the address; for a private authority set NODE_EXTRA_CA_CERTS to its certificate.',
      },
      'proxy-authentication': {
        cause: 'The proxy asks for a password',
        fix: 'Put user and password into HTTPS_PROXY.',
      },
      'proxy-refused': { cause: 'The proxy refuses', fix: 'Check HTTPS_PROXY and NO_PROXY.' },
    },
  },
  {
    title: 'This machine and the state directory',
    codes: {
      configuration: {
        cause: 'Configuration that cannot be used (exit code 2)',
        fix: 'The message names the file, the line, the key and the fix. ingestd check shows all of it.',
      },
      'state-locked': {
        cause: 'Another ingestd holds the state directory (exit code 5)',
        fix: 'The message names its process. Stop it, or give this one a state.dir of its own.',
      },
      'other-service': {
        cause: 'The ledger is of another service (exit code 2)',
        fix: 'Give state.dir a directory of its own, and everything is uploaded to the new service. If it is the same service at a new address: ingestd ledger service-moved',
      },
      'secret-plain': {
        cause: 'A secret that is short or a plain word',
        fix: 'Have the service issue a longer one. Until then parts of other words read [cut] in log and messages.',
      },
      'state-shared': {
        cause: 'Two configurations may share one ledger',
        fix: 'Give each of two configurations a state.dir of its own. Where the folder has moved, all is well.',
      },
      'http-token': {
        cause: 'No usable token for the HTTP address (exit code 2)',
        fix: 'Set INGESTD_HTTP_TOKEN to 16 characters or more (openssl rand -hex 16), or http.host to 127.0.0.1.',
      },
      'ledger-damaged': {
        cause: 'Damaged ledger (exit code 1)',
        fix: 'ingestd ledger verify says where. Put the state directory back from a backup, or do as the message says.',
      },
      'state-open': {
        cause: 'State directory that others can read',
        fix: 'chmod 700 it.',
      },
      held: {
        cause: 'Deletions are held',
        fix: 'Put the files back, or approve the deletion on the page or with: ingestd approve',
      },
      'ledger-unwritable': {
        cause: 'The ledger cannot be written',
        fix: 'Make room in the state directory or make it writable. Sending waits and goes on by itself.',
      },
      'state-unwritable': {
        cause: 'The state directory cannot be written',
        fix: 'Make it writable for the user that runs ingestd. Sending waits and goes on by itself.',
      },
      'state-disk-full': {
        cause: 'The disk of the state directory is full',
        fix: 'Make room. Sending waits and goes on by itself.',
      },
    },
  },
];
