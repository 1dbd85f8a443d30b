import { createRequire, syncBuiltinESMExports } from 'node:module';

const fs = createRequire(import.meta.url)('node:fs');
const { promises } = fs;

/** The functions as they are, for whoever prepares the disk. */
export const disk = { ...fs };

/** What each function that takes a path does. */
const byPath = {
  accessSync: 'stat',
  lstatSync: 'stat',
  statSync: 'stat',
  realpathSync: 'stat',
  readlinkSync: 'stat',
  openSync: 'open',
  readdirSync: 'list',
};
const promisesByPath = {
  access: 'stat',
  lstat: 'stat',
  stat: 'stat',
  realpath: 'stat',
  readlink: 'stat',
  open: 'open',
  readdir: 'list',
};

/**
 * From now on every look at a file asks `fault(operation, path)` first, and fails with the code that this gives; null:
 * it does not fail. Operations: `open`, `read`, `stat`, `list`. Gives what ends that. For all threads, preload it in each.
 */
export function failDisk(fault) {
  const paths = new Map();
  const undo = [];

  function replace(object, name, make) {
    const original = object[name];
    object[name] = Object.assign(make(original), original);
    undo.push(() => (object[name] = original));
  }

  function refuse(operation, place) {
    const text = String(place);
    const opened = /^\/proc\/self\/fd\/(\d+)$/.exec(text);
    const path = opened === null ? text : (paths.get(Number(opened[1])) ?? text);
    const code = fault(operation, path);
    if (code === null) return;
    throw Object.assign(new Error(`${code}: simulated, ${operation} '${path}'`), {
      code,
      path,
      syscall: operation,
    });
  }

  for (const [name, operation] of Object.entries(byPath)) {
    replace(fs, name, (original) => (path, ...more) => {
      refuse(operation, path);
      const result = original(path, ...more);
      if (name === 'openSync') paths.set(result, String(path));
      return result;
    });
  }
  replace(fs.realpathSync, 'native', (original) => (path, ...more) => {
    refuse('stat', path);
    return original(path, ...more);
  });
  for (const [name, operation] of [
    ['readSync', 'read'],
    ['fstatSync', 'stat'],
  ]) {
    replace(fs, name, (original) => (handle, ...more) => {
      if (paths.has(handle)) refuse(operation, paths.get(handle));
      return original(handle, ...more);
    });
  }
  replace(fs, 'closeSync', (original) => (handle) => {
    paths.delete(handle);
    return original(handle);
  });
  for (const [name, operation] of Object.entries(promisesByPath)) {
    replace(promises, name, (original) => async (path, ...more) => {
      refuse(operation, path);
      const result = await original(path, ...more);
      return name === 'open' ? failing(result, String(path)) : result;
    });
  }

  function failing(handle, path) {
    for (const [name, operation] of [
      ['read', 'read'],
      ['stat', 'stat'],
    ]) {
      const original = handle[name].bind(handle);
      handle[name] = async (...more) => {
        refuse(operation, path);
        return original(...more);
      };
    }
    return handle;
  }

  syncBuiltinESMExports();
  return () => {
    for (const one of undo.toReversed()) one();
    syncBuiltinESMExports();
  };
}
