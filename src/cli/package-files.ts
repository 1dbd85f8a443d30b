import { fileURLToPath } from 'node:url';

// The bundle lies as deep below the package as this file.

/** The schema by which editors check a configuration. */
export const schemaFile = fileURLToPath(new URL('../../config/ingestd.schema.json', import.meta.url));

/** The unit for one person's systemd. */
export const userUnitFile = fileURLToPath(new URL('../../systemd/user/ingestd.service', import.meta.url));

/** One document of each type that the service takes. */
export const fixturesDirectory = fileURLToPath(new URL('../../fixtures/documents', import.meta.url));
