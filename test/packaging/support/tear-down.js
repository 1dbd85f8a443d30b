import { rm } from 'node:fs/promises';

export default async function tearDown() {
  await rm(process.env.INGESTD_MADE_ONCE, { recursive: true, force: true });
}
