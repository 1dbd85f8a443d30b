export { prepareThread as prepareSweeping } from '../scan/worker/spare-thread.ts';
