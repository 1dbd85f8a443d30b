import { closest } from '../../lib/text/closest.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Settings } from '../../model/settings.ts';

/** The name of a configured folder; null: none was given, all are meant. Throws ConfigurationError. */
export function folderArgument(
  folder: string | undefined,
  { folders }: Pick<Settings, 'folders'>,
): string | null {
  if (folder === undefined) return null;
  const names = folders.map(({ name }) => name);
  if (names.includes(folder)) return folder;
  const near = closest(folder, names);
  const known = names.length === 1 ? `the only folder is ${names[0]}` : `the folders are ${names.join(', ')}`;
  throw new ConfigurationError(
    `FOLDER: "${folder}" is not configured; ${near === undefined ? known : `did you mean ${near}?`}`,
  );
}
