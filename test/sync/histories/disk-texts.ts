import { joinPath } from '../../../src/model/document.ts';
import { directoriesOf, sidecarOf } from './chronicle.ts';

/** What may be written into a sidecar. */
export const sidecarTexts = [
  '{"shareInfo":{"mode":"NONE"},"attachments":["x.csv"]}',
  '{"shareInfo":{"mode":"NONE"}}',
  '{"shareInfo":{"mode":"EVERYONE"},"attachments":["x.csv"]}',
  '{"shareInfo":{"mode":"EVERYONE"}}',
  '{"attachments":["x.csv"]}',
  '{"shareInfo":{"mode":"NONE"},"attachments":["x.csv","y.csv"]}',
  '{"shareInfo":{"mode":"NO',
  '{"nonsense":1,"attachments":["x.csv"]}',
  '',
] as const;

/** What may be written into a `.meta.json`. */
export const defaultsTexts = [
  '{"shareInfo":{"mode":"NONE"}}',
  '{"shareInfo":{"mode":"EVERYONE"}}',
  '{"sha',
] as const;

/** What may be written into an `.ingestignore`. */
export const ignoreTexts = [
  'b.txt\n',
  'e/\n',
  '*.csv\n',
  '*.txt\n',
  '',
  `${'n\n'.repeat(1_001)}b.txt\n*.csv\n`,
] as const;

/** A text as it is named in the words of a step. */
export const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 10)}…` : text);

/** Files that have a say in what goes out of a document: each with texts for it. */
export function companionsOf(document: string): readonly (readonly [string, readonly string[]])[] {
  const above = directoriesOf(document);
  return [
    [sidecarOf(document), sidecarTexts],
    ...above.map((one) => [joinPath(one, '.meta.json'), defaultsTexts] as const),
    ...above.map((one) => [joinPath(one, '.ingestignore'), ignoreTexts] as const),
  ];
}
