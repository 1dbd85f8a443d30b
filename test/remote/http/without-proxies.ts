import { afterEach, beforeEach } from '@jest/globals';

const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** The environment names no proxy at the beginning of each test of the file, and has its own again after it. */
export function withoutProxies(): void {
  const kept = new Map<string, string | undefined>();
  beforeEach(() => {
    for (const name of names) {
      kept.set(name, process.env[name]);
      delete process.env[name];
    }
  });
  afterEach(() => {
    for (const [name, value] of kept) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}
