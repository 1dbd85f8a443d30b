import { constants } from 'node:os';

/** An error as Node's file system functions throw it. */
export function fileError(code: string, syscall: string, path?: string): NodeJS.ErrnoException {
  const errno = -((constants.errno as Readonly<Record<string, number>>)[code] ?? 5);
  const where = path === undefined ? '' : ` '${path}'`;
  // Errors are thrown often, and nobody looks at their stacks.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error: NodeJS.ErrnoException = new Error(`${code}: simulated, ${syscall}${where}`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, { code, errno, syscall, ...(path === undefined ? {} : { path }) });
}
