import { constants } from 'node:os';

/** An error as Node's file system functions throw it. */
export function fileError(code: string, syscall: string, path?: string): NodeJS.ErrnoException {
  const errno = -((constants.errno as Readonly<Record<string, number>>)[code] ?? 5);
  const where = path === undefined ? '' : ` '${path}'`;
  const error: NodeJS.ErrnoException = new Error(`${code}: simulated, ${syscall}${where}`);
  return Object.assign(error, { code, errno, syscall, ...(path === undefined ? {} : { path }) });
}
