import { asItsUser } from '../../lib/process/user-name.ts';
import { ConfigurationError } from '../errors.ts';

/** An error of the file system, in words where a person can change what it is about; any other stays what it is. */
export function fileFault(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { code, path, dest = path, syscall } = error as NodeJS.ErrnoException & { readonly dest?: string };
  if (dest === undefined) return error;
  const fault = (words: string) => new ConfigurationError(`${dest} ${words}`, { cause: error });
  if (code === 'EACCES' || code === 'EPERM')
    return fault(`is closed to this user (${code}); ${asItsUser(dest)}`);
  if (code === 'EISDIR') return fault('is a directory where ingestd keeps a file; move it away');
  if ((code === 'EEXIST' && syscall === 'mkdir') || (code === 'ENOTDIR' && syscall === 'scandir'))
    return fault('is a file where ingestd keeps a directory; move it away');
  if (code === 'ENOTDIR')
    return fault('lies below a file where ingestd keeps a directory; move that file away');
  return error;
}
