import { groupBy } from '../../lib/group-by.ts';
import { inNaturalOrder } from '../../lib/text/natural-order.ts';
import { shellWord } from '../../lib/text/printable.ts';
import { capitalized, sentences } from '../../lib/text/sentences.ts';
import { refKey } from '../document.ts';
import type { DocumentRef } from '../document.ts';
import { resolveWords } from '../doubts.ts';
import type { Status } from './status.ts';
import type { WaitKind } from './wait-kinds.ts';

/** What a code means: for a person a heading and what to do about it, and how much it weighs. */
export interface Explanation {
  /** A few words, as a heading and as the page's headline. */
  readonly cause: string;
  /** One or two sentences; empty where every message with this code says it. */
  readonly fix: string;
  /**
   * Of a reason. `ok`: no action is needed, since the cause is worked around, or passes. `attention`: it concerns some of
   * the documents. Absent: nothing can be delivered.
   */
  readonly health?: 'ok' | 'attention';
  /**
   * Of a reason: whether the history says when it begins and ends; absent: where it is not `ok`. Not what is in there by
   * itself, as a person's decision is; a limit that is reached, though nothing is wrong.
   */
  readonly isTold?: boolean;
  /** Of a reason: its messages are whole sentences, which need no heading. */
  readonly isSentence?: true;
  /** Of a reason: nothing is sent until somebody else does something. */
  readonly blocks?: true;
  /**
   * Of a reason that is no error, and yet nothing goes out: until it passes by itself (`for-now`), or until a person
   * decides. Absent: other documents go out.
   */
  readonly halts?: 'for-now' | 'until-decided';
  /** Of a document that waits: what for; absent: for something else than these. */
  readonly waits?: WaitKind;
  /** Of a failure: another attempt ends the same until something outside of the folder has changed. */
  readonly endsElsewhere?: true;
}

/** Codes of one kind of problem. */
interface ExplanationGroup {
  /** What the problems have in common, as a heading. */
  readonly title: string;
  /** They end by themselves when the files are fixed: trying again before that does not help. */
  readonly endsInFolder?: true;
  readonly codes: Readonly<Record<string, Explanation>>;
}

const fixSidecar = 'Correct the file as the message says.';
const itRepeats = 'Nothing to do: ingestd retries by itself.';
const whileAway =
  'ingestd tries again by itself. If it lasts, check service.ingestUrl and service.authUrl in the configuration, the network and the proxy (HTTPS_PROXY).';
/** So ends a fix in the configuration, where nobody knows whose. */
const reload = 'in the configuration, then restart or send SIGHUP.';
const inBetween =
  'Where the address is right, a proxy, a gateway or a network’s login page is in between, and ingestd retries by itself.';
/** What the environment, or .env, says counts before the file. */
const authUrl = 'service.authUrl (INGESTD_AUTH_URL where that is set)';
const ingestUrl = 'service.ingestUrl (INGESTD_INGEST_URL where that is set)';
const checkService = `Check ${authUrl} and ${ingestUrl} ${reload}`;
const makeReadable = 'Give the user that runs ingestd permission to read it.';
const readAgain =
  'Nothing to do: ingestd tries again by itself, after a second, then less and less often, up to every five minutes. If it lasts, close the program that has the file open, or check the disk or network share.';
const asService = 'Read the service’s message, fix the document or its sidecar, then retry.';

/** Every problem that ingestd knows a fix for, in the order in which the documentation shows them. */
export const explanationGroups: readonly ExplanationGroup[] = [
  {
    title: 'Names, sizes and types',
    endsInFolder: true,
    codes: {
      'double-extension': { cause: 'More than one dot in the name', fix: '' },
      'name-too-long': { cause: 'Name too long', fix: '' },
      'forbidden-character': { cause: 'Slash or backslash in the name', fix: '' },
      'no-extension': { cause: 'Name without an extension', fix: 'Rename the file.' },
      'hidden-character': { cause: 'Invisible character in the extension', fix: '' },
      'unsupported-type': {
        cause: 'Type not supported by the service',
        fix: 'Save the file as another type, such as PDF, or add it to .ingestignore to hide it here.',
      },
      'too-large': { cause: 'Too large', fix: '' },
      settling: {
        cause: 'Still changing',
        fix: 'Nothing to do. It is sent when it has not changed for timing.settleMs.',
        waits: 'settling',
      },
      'empty-file': { cause: 'Empty file', fix: 'It is sent as soon as it has content.' },
      'not-utf8': { cause: 'Name is not valid UTF-8', fix: 'Rename the file, for example with convmv.' },
      'unicode-twin': {
        cause: 'Two names that look the same',
        fix: 'They differ only in how accents are encoded (NFC and NFD). Rename or remove one of the two.',
      },
      'symbolic-link': {
        cause: 'Symbolic link',
        fix: 'Put the file itself here. With followSymlinks: true, links that stay inside the folder, in no hidden directory, are not listed: what they lead to is sent from its real place.',
      },
    },
  },
  {
    title: 'Sidecars and attachments',
    endsInFolder: true,
    codes: {
      'sidecar-invalid': { cause: 'Invalid sidecar', fix: fixSidecar },
      'sidecar-unreadable': {
        cause: 'Sidecar cannot be read',
        fix: 'Give the user that runs ingestd permission to read it.',
      },
      'kept-elsewhere': {
        cause: 'Moved to a place that is not sent',
        fix: 'The document stays at the service. Remove the file for good to delete it, or move it back.',
      },
      'sidecar-missing': {
        cause: 'Waiting for its sidecar',
        fix: 'This folder is set to sidecar: required. Add NAME.meta.json next to the document.',
        waits: 'sidecar',
      },
      'sidecar-expected': {
        cause: 'Its sidecar may be on its way',
        fix: 'Nothing to do. Documents around it have sidecars, so it waits until no new file has come to its directory, or grown there, for timing.settleMs; ten minutes at most. Where each document has a sidecar, set sidecar: required: then it waits however long a copy takes.',
        waits: 'sidecar',
      },
      incomplete: {
        cause: 'Not whole yet',
        fix: 'Nothing to do while it is still being written. It is sent when it is whole by its own format, or when it has not changed for timing.incompleteMinutes.',
        waits: 'settling',
      },
      'keeps-changing': {
        cause: 'It keeps changing',
        fix: 'Nothing to do. Whenever it was to be sent, it or what goes with it had changed a moment ago; it is tried again at longer intervals.',
        waits: 'settling',
      },
      'ambiguous-sidecar': { cause: 'One sidecar, several documents', fix: '' },
      'likely-sidecar': {
        cause: 'A sidecar that is not read may be meant for it',
        fix: 'Rename the sidecar that the message names to fit its document (that of a directory to .meta.json), or remove it. If it belongs to another document, give this one a sidecar of its own; {} is enough.',
        waits: 'sidecar',
      },
      'misspelled-sidecar': {
        cause: 'Sidecar whose name does not end in .meta.json',
        fix: 'Rename it to end in .meta.json, in lower case; if it is no sidecar, give it another name or, unless it begins with a dot, name it in .ingestignore. A new document that it may be meant for, with no sidecar of its own, is not sent until then.',
        health: 'attention',
      },
      'orphan-sidecar': {
        cause: 'Sidecars that fit no file',
        fix: 'If its document was renamed or moved, rename or move the sidecar along: that of report.pdf is report.pdf.meta.json. If its document is gone, remove the sidecar: nothing is sent by that. Until then a new document with a similar name and no sidecar of its own is not sent.',
        health: 'attention',
        isSentence: true,
      },
      'held-sidecar': {
        cause: 'Sidecar of a document whose deletion is held or under way',
        fix: 'Where the deletion is held, decide about that first: ingestd approve deletes the document, ingestd keep leaves it at the service.',
      },
      'document-url': {
        cause: 'documentUrl that is no http or https address',
        fix: 'Nothing has to be done: it is sent as it stands. To make it a link that can be followed, write an address that begins with https://.',
      },
      'foreign-sidecar': {
        cause: 'Sidecar of another user',
        fix: 'Give the sidecar the same owner as its document (a .meta.json: as its directory), or set sidecarOwner: any for the folder.',
      },
      'orphan-attachments': {
        cause: 'Attachments without a document',
        fix: 'Add their document next to the directory (its name is the part before .attachments), or add the directory to .ingestignore.',
        health: 'ok',
      },
      'defaults-invalid': { cause: 'Invalid .meta.json', fix: fixSidecar },
      'defaults-unreadable': {
        cause: '.meta.json cannot be read',
        fix: 'Give the user that runs ingestd permission to read it. No document in its directory or below is sent until then.',
      },
      'attachment-missing': {
        cause: 'Attachment not found',
        fix: 'Add the file at the path given in the sidecar, or remove it from the sidecar’s attachments.',
        waits: 'attachment',
      },
      'attachment-outside': {
        cause: 'Attachment not below its document',
        fix: 'Move the file into the document’s directory or below it, and give its path relative to the document. If it is elsewhere in the folder, you can also set attachments: folder.',
      },
      'attachment-invalid': {
        cause: 'Attachment cannot be sent',
        fix: 'It must be a regular file whose name, type and size the service accepts.',
      },
      'attachment-empty': {
        cause: 'Empty attachment',
        fix: 'The document is sent as soon as the attachment has content.',
        waits: 'attachment',
      },
      'attached-before': {
        cause: 'Still an attachment',
        fix: 'To send it as a document of its own, give its document a valid sidecar that does not list it; {} is enough. To send it with its document, put it where that has its attachments, or list it in its sidecar.',
      },
      'attachments-would-show': {
        cause: 'Old attachments would be shown to more people',
        fix: 'All else is sent. List attachments in its sidecar, the old ones or others that replace them, or state the narrower sharing mode again. Either may leave it shared less widely than stated; share it then. To send it as a new document without them, remove the file, wait until ingestd has deleted the document (not with onRemove: keep), and put a copy of the file there: files that its sidecar listed are documents of their own then, private ones.',
      },
      'kept-private': {
        cause: 'Shared less widely than stated',
        fix: 'To share it, state a mode in a sidecar of its own, or run ingestd share PATH --as stated.',
      },
      'linked-file': {
        cause: 'Shared less widely, as another name of the same file is',
        fix: 'To share it, state a mode in a sidecar of its own, or a wider one for the other name.',
      },
      'too-many-attachments': {
        cause: 'Too many attachments',
        fix: 'The service accepts ten per document. Remove some, or send them as separate documents.',
      },
    },
  },
  {
    title: 'Folders and reading',
    endsInFolder: true,
    codes: {
      unreadable: { cause: 'File cannot be read', fix: makeReadable },
      'path-too-long': {
        cause: 'Path is too long',
        fix: 'Shorten names in it: of its directories, or its own.',
        health: 'attention',
      },
      'unreadable-now': { cause: 'File cannot be read at the moment', fix: readAgain, health: 'ok' },
      'unreadable-directory': { cause: 'Directory cannot be read', fix: makeReadable, health: 'attention' },
      'unreadable-directory-now': {
        cause: 'Directory cannot be read at the moment',
        fix: readAgain,
        health: 'attention',
      },
      'ignore-file-invalid': {
        cause: 'Invalid .ingestignore',
        fix: 'Correct it as the message says, or remove it. Nothing in its directory and below is sent or deleted until then.',
        health: 'attention',
      },
      'not-scanned': { cause: 'Folder not scanned yet', fix: 'Nothing to do: ingestd scans it by itself.' },
      'content-changed': { cause: 'Changed while being sent', fix: itRepeats },
      'folder-missing': {
        cause: 'Folder not found',
        fix: `Mount it or create it: a running ingestd continues by itself, and nothing is deleted in the meantime. If it is elsewhere, correct folders[].path ${reload}`,
        health: 'attention',
      },
      'folder-unreadable': {
        cause: 'Folder cannot be read',
        fix: `${makeReadable} Nothing is deleted in the meantime.`,
        health: 'attention',
      },
      'folder-changed': {
        cause: 'A different folder in its place',
        fix: 'Something else was mounted or created at this path. Nothing is deleted until the original folder is back, or somebody approves the deletions that are held.',
        health: 'attention',
      },
      'folder-unavailable': {
        cause: 'Folder unavailable',
        fix: `Mount it, or put a directory there: a running ingestd continues by itself, and nothing is deleted in the meantime. If it is elsewhere, correct folders[].path ${reload}`,
        health: 'attention',
      },
      'watch-limit': {
        cause: 'Not enough inotify watches',
        fix: 'Part of the folder is polled instead. To watch all of it, raise the limit: sysctl -w fs.inotify.max_user_watches=524288',
        health: 'ok',
        isTold: true,
      },
    },
  },
  {
    title: 'Answers of the service about one document',
    codes: {
      'error-envelope': { cause: 'Refused by the service', fix: asService },
      'http-403': {
        cause: 'Not allowed by the service (403)',
        fix: 'Ask the service’s administrator for permission, or set another documentOwner, then retry. After a refused deletion, ingestd keep leaves the document at the service instead.',
      },
      'missing-at-service': {
        cause: 'Document no longer at the service',
        fix: 'It was removed there, or the docId that was imported for it is wrong. Remove the file here; or, to upload it as a new document, set service.onMissing: upload, reload, then run ingestd retry PATH.',
        endsElsewhere: true,
      },
      'no-doc-id': {
        cause: 'Accepted without a docId',
        fix: 'The service says that it has the document. It is not sent again: find its docId at the service and run ingestd resolve PATH --doc-id ID.',
      },
      'not-taken': {
        cause: 'Not taken by the service, which takes others',
        fix: 'It is retried by itself, up to every five minutes. If that does not help, ask the administrator of the service, or change or remove the file.',
      },
      'docid-conflict': {
        cause: 'docId already in use',
        fix: 'The service answered with the docId of another document. Ask its administrator, then retry.',
      },
      'invalid-request': {
        cause: 'Invalid request',
        fix: 'The message names the part of the document or its metadata that is wrong. Fix it there.',
        endsElsewhere: true,
      },
      'doubt-dismissed': {
        cause: 'Doubt dismissed, not sent',
        fix: 'To send it all the same, run ingestd retry PATH.',
      },
      'in-doubt': {
        cause: 'Upload in doubt',
        fix: `Look at the service, then ${resolveWords()}.`,
      },
      'possible-duplicates': {
        cause: 'Possible duplicates',
        fix: 'Look at the service, remove what is there twice, then run ingestd resolve PATH --dismiss.',
      },
    },
  },
  {
    title: 'The service as a whole',
    codes: {
      'configuration-refused': {
        cause: 'New configuration refused',
        fix: '',
        health: 'attention',
      },
      'configuration-changed': {
        cause: 'Configuration changed since the daemon read it',
        fix: 'For the change to take effect, send the daemon SIGHUP.',
        health: 'ok',
      },
      reloading: {
        cause: 'A new configuration is about to take effect',
        fix: 'Requests under way end first, because what is cut off may be sent twice. Nothing else starts until then. To end them at once, stop ingestd and start it again.',
        health: 'ok',
      },
      'credentials-refused': {
        cause: 'Credentials refused',
        fix: 'ingestd auth login checks them once they are corrected. Nothing is lost in the meantime.',
        isSentence: true,
      },
      'uploads-stopped': {
        cause: 'Uploads stopped: accepted without a docId',
        fix: 'The last three uploads were accepted with no docId that ingestd can use. Ask the service’s administrator what its answers mean; resolve them with ingestd resolve, or run ingestd retry to go on.',
        health: 'attention',
        halts: 'until-decided',
      },
      'not-the-service': {
        cause: 'Something else answered at the service’s address',
        fix: `Check ${ingestUrl} ${reload} ${inBetween}`,
        isSentence: true,
      },
      'no-access': {
        cause: 'User has no permission at the service',
        fix: 'The service refused several documents in a row (403). Ask its administrator for permission; ingestd retries by itself.',
      },
      'not-signed-in': { cause: 'Not signed in yet', fix: itRepeats },
      'no-token': { cause: 'No access token', fix: whileAway },
      'auth-not-found': {
        cause: 'Something else answered at the address of the token endpoints',
        fix: `Check ${authUrl} ${reload} ${inBetween}`,
        isSentence: true,
      },
      clock: {
        cause: 'Clock of this machine is wrong',
        fix: 'Set the clock: timedatectl set-ntp true. With a wrong clock, tokens look expired.',
      },
      'credential-missing': {
        cause: 'Credentials missing',
        fix: 'Set it in the .env beside the configuration file (mode 0600) or in the environment, or set the same name with _FILE to a file that holds it.',
        health: 'attention',
      },
      'rate-limited': {
        cause: 'The service asked to wait',
        fix: `${itRepeats} If that happens again and again, it allows less than service.requestsPerMinute says: lower that ${reload}`,
        health: 'ok',
        isTold: true,
        halts: 'for-now',
      },
      'request-limit': {
        cause: 'More is waiting than a minute takes',
        fix: 'Nothing to do: what waits goes out as the limit allows. ingestd status says how long that takes.',
        health: 'ok',
        isTold: true,
      },
      'service-unavailable': {
        cause: 'Service unavailable',
        fix: whileAway,
      },
      'service-unreachable': {
        cause: 'Service unreachable',
        fix: 'Check the address, the network, the proxy (HTTPS_PROXY) and the certificate (NODE_EXTRA_CA_CERTS).',
      },
      redirect: { cause: 'The service’s address redirects', fix: `${checkService} ${inBetween}` },
      misaddressed: { cause: 'Wrong address of the service', fix: checkService },
      tls: {
        cause: 'No trusted connection to the service',
        fix: `Check the address and its port, which has to speak TLS. For a private certificate authority, set NODE_EXTRA_CA_CERTS to its certificate file. ${inBetween}`,
      },
      'proxy-authentication': {
        cause: 'Proxy asks for a password',
        fix: 'Add user and password to HTTPS_PROXY.',
      },
      'proxy-refused': { cause: 'Proxy refuses the connection', fix: 'Check HTTPS_PROXY and NO_PROXY.' },
    },
  },
  {
    title: 'Many hosts, one account',
    codes: {
      'redis-unavailable': {
        cause: 'Redis cannot be reached',
        fix: 'Check that Redis runs and cluster.redisUrl is right. ingestd connects by itself when it is back. Until then nothing is sent.',
        blocks: true,
      },
      'redis-refuses': {
        cause: 'Redis refuses a command',
        fix: 'Make room in Redis or bring its replicas back, or give the Redis user the commands, keys and channels listed in docs/fleet.md. ingestd retries by itself.',
        blocks: true,
      },
      'redis-evicts': {
        cause: 'Redis drops data when its memory is full',
        fix: 'Set maxmemory-policy to noeviction, or give the fleet a Redis of its own. A full Redis then refuses writes, and the hosts wait.',
      },
      'fleet-opens': {
        cause: 'Waiting until no request of the last minute is unknown',
        fix: 'Nothing to do: sending begins at the time that the message gives, one window later at most.',
        health: 'ok',
        halts: 'for-now',
      },
      'folder-elsewhere': {
        cause: 'This folder, whole or in part, belongs to another host',
        fix: 'Take the folder out of one of the two configurations and restart that host. If it is the very same folder, you can also give both hosts the same state.dir and cluster.standBy: true; one then stands by.',
        health: 'attention',
      },
      'folder-shown-twice': {
        cause: 'Two folders show the same files',
        fix: 'Take one of the two folders out of the configuration, or unmount what shows the files a second time. The folder that is configured first is sent.',
        health: 'attention',
      },
      standby: {
        cause: 'Standing by',
        fix: 'Nothing to do: this host works when the other one stops or dies, or when Redis works again.',
        health: 'ok',
      },
      'fleet-paused': {
        cause: 'The whole fleet is paused',
        fix: 'Run ingestd resume --fleet. Until then changes are counted and no host sends.',
        health: 'attention',
        blocks: true,
      },
      'host-name-taken': {
        cause: 'Two hosts of the account have one name',
        fix: 'Set cluster.host to another name on one of them and restart it. If its state directory is a copy, give it a new one or import its ledger.',
        health: 'attention',
      },
      'request-under-way': {
        cause: 'A request from before the last start may still arrive',
        fix: itRepeats,
      },
      'permit-lost': { cause: 'Permit lost before the request was complete', fix: itRepeats },
    },
  },
  {
    title: 'This machine and the state directory',
    codes: {
      'daemon-silent': { cause: 'ingestd does not answer its commands', fix: '' },
      'not-running': {
        cause: 'ingestd is not running',
        fix: 'Start it with ingestd run, or as a service.',
        health: 'ok',
      },
      configuration: {
        cause: 'Invalid configuration (exit code 2)',
        fix: 'The message lists what is wrong in the order of the lines (20 at most), each with its key and fix. A file that is not valid YAML is shown alone.',
      },
      'state-locked': {
        cause: 'Another ingestd uses the state directory (exit code 5)',
        fix: 'Stop the process named in the message first. Do not use another state.dir: every document would be uploaded a second time.',
      },
      'other-service': {
        cause: 'The ledger belongs to another service (exit code 2)',
        fix: 'If service.ingestUrl is mistyped, correct it. To upload everything to another service, set another state.dir. If it is the same service at a new address, run ingestd ledger service-moved.',
      },
      'trial-ledger': {
        cause: 'The ledger belongs to a trial, or the service to come is one (exit code 2)',
        fix: 'Set another state.dir; everything is then uploaded to it.',
      },
      'http-token': { cause: 'No valid token for the HTTP address (exit code 2)', fix: '' },
      'page-unavailable': {
        cause: 'Status page unavailable',
        fix: 'Correct what the message names, or wait until the address is there. Documents are delivered meanwhile, and the page opens by itself within a minute.',
        health: 'attention',
      },
      'new-ledger': {
        cause: 'New ledger',
        fix: '',
        health: 'ok',
      },
      'state-missing': {
        cause: 'No ledger where state.mustExist is true (exit code 2)',
        fix: 'If there was one, mount its volume or restore it from a backup: without it every document would be uploaded again. For the very first start set INGESTD_STATE__MUST_EXIST=false.',
      },
      'ledger-damaged': {
        cause: 'Damaged ledger (exit code 1)',
        fix: 'Run ingestd ledger verify to see where. Restore the state directory from a backup, or follow the message.',
      },
      'state-refused': { cause: 'State directory refused (exit code 2)', fix: '' },
      'state-open': {
        cause: 'State directory readable by others',
        fix: 'Take the permissions of others away with chmod 700.',
      },
      held: {
        cause: 'Deletions held',
        fix: 'If the files were meant to go, delete the documents on the page or with ingestd approve FOLDER. Else put the files back (one that was replaced, under another name), or keep the documents without them: on the page, or with ingestd keep FOLDER.',
        health: 'attention',
        isTold: false,
      },
      paused: {
        cause: 'Paused',
        fix: 'Resume on the page or with ingestd resume. Until then changes are counted and nothing is sent.',
        health: 'attention',
        isTold: false,
      },
      'ledger-unwritable': {
        cause: 'Ledger cannot be written',
        fix: 'Free up space in the state directory or make it writable. Sending is paused until then and resumes by itself.',
        blocks: true,
      },
      'state-unwritable': {
        cause: 'State directory cannot be written',
        fix: 'Make it writable for the user that runs ingestd. Sending is paused until then and resumes by itself.',
      },
      'state-disk-full': {
        cause: 'Disk of the state directory is full',
        fix: 'Free up space. Sending is paused until then and resumes by itself.',
      },
    },
  },
];

const explanations = new Map(explanationGroups.flatMap(({ codes }) => Object.entries(codes)));

/** Codes that are not listed each: their form, what they mean, what to do. The first form that fits counts. */
const otherCodes: readonly (readonly [form: RegExp, cause: string, fix: string])[] = [
  [/^http-(425|429)$/, 'The service asks us to wait', itRepeats],
  [/^http-(408|460|499)$/, 'The service, or a proxy, stopped waiting', itRepeats],
  [/^http-([5-9]\d\d)$/, 'Error of the service', itRepeats],
  [/^http-(\d{3})$/, 'Refused by the service', asService],
  // Connections that failed, by ingestd's own words or by the system's.
  [
    /-timeout$|^no-answer$|^answer-|^e(?:conn[a-z]+|pipe|notfound|ai-again|hostunreach|netunreach|timedout)$/,
    'No valid answer from the service',
    whileAway,
  ],
];

/** A heading and a fix for a code of a failure, a skip or a reason, whether it is known or not. */
export function explain(code: string): Explanation {
  const known = explanations.get(code);
  if (known !== undefined) return known;
  for (const [form, cause, fix] of otherCodes) {
    const [found, status] = form.exec(code) ?? [];
    if (found !== undefined) return { cause: status === undefined ? cause : `${cause} (${status})`, fix };
  }
  const words = code.replaceAll('-', ' ').trim() || 'failed';
  return { cause: capitalized(words), fix: 'The message says what is wrong. Fix it, then retry.' };
}

/** A fix whose commands name what it is for: a folder, or a file as `folder/path`. */
export function placed(fix: string, subject: string): string {
  return fix.replaceAll(/\b(?:PATH|FOLDER)\b/g, () => shellWord(subject));
}

/** The fix for a code, as a running ingestd gives it. */
export function fixAt(code: string, status: Parameters<typeof withPlace>[1]): string {
  return withPlace(explain(code).fix, status);
}

/** A fix with the file to edit and the process that is to read it again. */
export function withPlace(
  fix: string,
  { configuration, pid }: Pick<Status, 'configuration' | 'pid'>,
): string {
  const then = pid === 0 ? '' : `, then run kill -HUP ${pid}`;
  return fix.replace(reload, () => `in ${configuration}${then}.`);
}

/** Whether trying again may help a document that failed for this reason, and is as it was. */
export function mayHelpToRetry(code: string): boolean {
  return explanations.get(code)?.endsElsewhere !== true && !endsInFolder(code);
}

/** Whether what is not sent for this reason goes by itself when that is fixed in the folder, and not before. */
export function endsInFolder(code: string): boolean {
  return explanationGroups.some((group) => group.endsInFolder === true && code in group.codes);
}

/** Whether a person's word can share a document as it is stated, which is held more narrowly for this reason. */
export function mayHelpToShare(code: string): boolean {
  return code === 'kept-private';
}

/** The kind of wait that a reason's code stands for. */
export function waitKindOf(code: string): WaitKind {
  return explanations.get(code)?.waits ?? 'other';
}

/** A message with what to do about it. */
export function withFix({ code, message }: { readonly code: string; readonly message: string }): string {
  return sentences([message, explain(code).fix]);
}

/** What has the same cause. */
export interface Group<T> {
  readonly code: string;
  readonly items: readonly T[];
}

/** Gathers what has the same cause, ordered by path; the largest group first, equal ones by their code. */
export function groupByCause<T extends DocumentRef & { code: string }>(items: readonly T[]): Group<T>[] {
  const ordered = items.toSorted((a, b) => inNaturalOrder(refKey(a), refKey(b)));
  return Array.from(
    groupBy(ordered, ({ code }) => code),
    ([code, members]) => ({ code, items: members }),
  ).sort((a, b) => b.items.length - a.items.length || (a.code < b.code ? -1 : 1));
}
