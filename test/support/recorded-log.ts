import type { LogPort } from '../../src/model/ports/log-port.ts';

export interface RecordedLog extends LogPort {
  readonly lines: readonly { readonly level: string; readonly data: object; readonly message: string }[];
}

/** A log that keeps its lines for the test to look at. */
export function recordedLog(): RecordedLog {
  const lines: { level: string; data: object; message: string }[] = [];
  const at = (level: string) => (data: object, message: string) => {
    lines.push({ level, data, message });
  };
  return {
    lines,
    trace: at('trace'),
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
  };
}
