/**
 * Names that programs use while they save, contract section 4 and faults F2 to F10: dot files, owner and lock
 * files, temporary and partial files, backups. Case does not matter.
 */
export function isTransient(name: string): boolean {
  const first = name.charCodeAt(0);
  if (first === dot) return true;
  if (first === tilde && name.startsWith('~$')) return true;
  if (first === hash && name.endsWith('#')) return true;
  if (name.endsWith('~')) return true;
  return suffixes.test(name) || name === vimProbe;
}

const dot = 0x2e;
const tilde = 0x7e;
const hash = 0x23;
const suffixes = /\.(?:tmp|part|crdownload|swp|swx|osl-tmp)$/i;
/** The file by which vim tries whether it may write in a directory. */
const vimProbe = '4913';
