export { prepareThread as prepareScan } from '../scan/worker/spare-thread.ts';
