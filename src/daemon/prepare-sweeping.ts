export { prepareThread as prepareSweeping } from '../folder/spare-thread.ts';
