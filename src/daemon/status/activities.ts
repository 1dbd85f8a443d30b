import type { Activity } from '../../model/report/status.ts';

/** What happened lately, and who wants to hear of it. */
export interface Activities {
  readonly add: (activity: Activity) => void;
  /** Newest last. */
  readonly recent: () => readonly Activity[];
  readonly listen: (listener: (activity: Activity) => void) => () => void;
}

const kept = 300;

/** `before`: what happened before this start, newest last. */
export function createActivities(before: readonly Activity[] = []): Activities {
  let recent: Activity[] = [...before];
  const listeners = new Set<(activity: Activity) => void>();
  return {
    add: (activity) => {
      recent.push(activity);
      if (recent.length > kept * 2) recent = recent.slice(-kept);
      for (const listener of listeners) listener(activity);
    },
    recent: () => recent.slice(-kept),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
