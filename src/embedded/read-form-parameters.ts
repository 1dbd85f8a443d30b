import { RefusalError } from './refusal-error.ts';

/**
 * Reads an `application/x-www-form-urlencoded` body, every parameter at most once, none of the wanted empty.
 * Throws RefusalError 400, interface 7.1.
 */
export function readFormParameters(body: Uint8Array): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of decode(body).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = unescape(equals < 0 ? pair : pair.slice(0, equals));
    if (parameters.has(name)) throw new RefusalError(400, `the parameter ${quote(name)} is repeated`);
    parameters.set(name, equals < 0 ? '' : unescape(pair.slice(equals + 1)));
  }
  return parameters;
}

/** One parameter that has to be there. Throws RefusalError 400 when it is missing or empty. */
export function requireParameter(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name);
  if (value === undefined || value === '') throw new RefusalError(400, `the parameter ${name} is missing`);
  return value;
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new RefusalError(400, 'the body is not UTF-8');
  }
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new RefusalError(400, 'the body is not form-urlencoded: a percent sign begins no valid escape');
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
