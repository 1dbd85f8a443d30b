import { type JsonSchema, settingsJsonSchema } from './settings/json-schema.ts';

/** The JSON Schema for editors: what the file may hold, units in the texts, and keys left empty allowed as the file allows them. */
export function editorSchema(): object {
  const { $schema, ...rest } = settingsJsonSchema() as JsonSchema & { $schema?: string };
  return {
    $schema,
    title: 'ingestd configuration',
    description:
      'Settings of ingestd. Secrets never stand here: they come from the environment or a .env file.',
    ...forEditors(rest),
  };
}

function forEditors({ unit, defaultWords, description, properties, items, ...rest }: JsonSchema): object {
  const notes = [description, unit && `Unit: ${unit}.`, defaultWords && `Default: ${defaultWords}.`].filter(
    Boolean,
  );
  const empty = rest.default === undefined && defaultWords !== undefined;
  return {
    ...rest,
    ...(empty ? { type: [rest.type, 'null'] } : {}),
    ...(notes.length === 0 ? {} : { description: notes.join(' ') }),
    ...(items === undefined ? {} : { items: forEditors(items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([key, child]) => [key, forEditors(child)]),
          ),
        }),
  };
}
