/** Where the scanning worker's compiled module is, for a module of this directory, compiled or not. */
export function scanWorkerUrl(): URL {
  const worker = new URL('./scan-worker.ts', import.meta.url).href.replace(/\.ts$/, '.js');
  // A thread is started by Node itself, which takes JavaScript only: from the sources, the build beside them is used.
  return new URL(
    import.meta.url.endsWith('.ts')
      ? worker.replace(/\/src\/scan\/worker\/(?=[^/]+$)/, '/dist/program/')
      : worker,
  );
}
