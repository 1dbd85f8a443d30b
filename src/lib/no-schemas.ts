/**
 * Fastify's `schemaController` for an application whose routes have no JSON schemas: what comes in is judged by zod.
 * Without it Fastify loads a validator and a serializer that nobody asks for, 20 ms in which nothing else happens.
 */
export const noSchemas = { compilersFactory: { buildValidator: refuse, buildSerializer: refuse } };

function refuse(): never {
  throw new Error(
    'a route has a JSON schema, and nothing here compiles one; judge the body by zod in the route',
  );
}
