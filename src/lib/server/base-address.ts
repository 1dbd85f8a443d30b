import { isLoopbackHost } from './host.ts';
import { excerpt } from '../text/printable.ts';

/** An address without a slash at its end, or what is wrong with it and the fix. */
export type Address =
  { readonly kind: 'address'; readonly url: string } | { readonly kind: 'wrong'; readonly message: string };

const example = 'https://host.example/path';

/** Judges the base address of the token endpoints or of the ingestion operations. */
export function checkAddress(text: string): Address {
  const address = text.trim();
  if (!URL.canParse(address)) return wrong(`"${shown(text)}" is not an address; write it like ${example}`);
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') {
    return wrong('the address contains a user name or password; remove the part before the @');
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return wrong(`"${excerpt(text)}" is not an https address; write it like ${example}`);
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    return wrong(
      `"${excerpt(text)}" would send passwords unencrypted; use https (http is allowed only for loopback addresses)`,
    );
  }
  if (url.search !== '' || url.hash !== '') {
    return wrong(
      `"${excerpt(text)}" contains a query or a fragment; remove the part that starts with ? or #`,
    );
  }
  return { kind: 'address', url: `${url.origin}${url.pathname}`.replace(/\/+$/, '') };
}

/** What stands before an @ may be a password. */
function shown(text: string): string {
  return excerpt(text.replace(/^.*@/s, '…@'));
}

function wrong(message: string): Address {
  return { kind: 'wrong', message };
}
