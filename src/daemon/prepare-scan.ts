/** For `main.ts` and `run`, which may not import `scan`: the scanning thread loads while the configuration is read. */
export { prepareThread as prepareScan } from '../scan/worker/spare-thread.ts';
