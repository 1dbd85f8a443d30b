import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const executablePath = places.find((place) => existsSync(place));

/** Whether Debian's package chromium is installed here. */
export const chromiumFound = executablePath !== undefined;

/** Starts it; it speaks to no other host by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
