import { setMaxListeners } from 'node:events';

/** A controller whose signal any number of requests may follow: Node warns from eleven on. */
export function abortForMany(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
