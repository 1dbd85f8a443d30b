import { isLoopbackHost } from './host.ts';
import { excerpt } from '../text/printable.ts';

const example = 'https://host.example/path';

/**
 * The base address of the token endpoints or of the ingestion operations, without a slash at its end, or what is wrong
 * with it and the fix.
 */
export function checkAddress(text: string): { readonly url: string } | { readonly fault: string } {
  const address = text.trim();
  if (!URL.canParse(address)) {
    // What stands before an @ may be a password.
    const shown = excerpt(text.replace(/^.*@/s, '…@'));
    return { fault: `"${shown}" is not an address; write it like ${example}` };
  }
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    return { fault: 'the address contains a user name or password; remove the part before the @' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { fault: `"${excerpt(text)}" is not an https address; write it like ${example}` };
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return {
      fault: `"${excerpt(text)}" would send passwords unencrypted; use https (http is allowed only for loopback addresses)`,
    };
  }
  if (url.search !== '' || url.hash !== '') {
    return {
      fault: `"${excerpt(text)}" contains a query or a fragment; remove the part that starts with ? or #`,
    };
  }
  return { url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}
