import * as z from 'zod';

import { errorSchema } from '../../src/commands/daemon-client.ts';
import { shareModes } from '../../src/model/metadata/metadata.ts';
import { decisionSchemas } from '../../src/model/ports/control-port.ts';
import type { DecisionName, DocumentListing } from '../../src/model/ports/control-port.ts';
import { whySchema } from '../../src/model/report/command-reports.ts';
import { hostSummarySchema, presences } from '../../src/model/report/fleet.ts';
import type { FleetStatus } from '../../src/model/report/fleet.ts';
import { activitySchema, statusSchema } from '../../src/model/report/status.ts';
import type { HistoryReport } from '../../src/status/metrics/delivery-history.ts';
import { querySchemas } from '../../src/status/server/routes.ts';
import type { StatusAnswer } from '../../src/status/server/status-snapshot.ts';

/** What is sent as more than one schema of the source, held to its type there. */
const shareMode = z.enum(shareModes).nullable();
const counts = z.array(z.number());
const statusAnswer = statusSchema.extend({ headline: z.string() }) satisfies z.ZodType<StatusAnswer>;
const documents = z.object({
  documents: z.array(
    z.object({
      folder: z.string(),
      path: z.string(),
      pathBytes: z.string().optional(),
      isDelivered: z.boolean(),
      state: z.string().nullable(),
      sharing: shareMode,
      url: z.string().nullable(),
      narrower: z.object({ sharing: z.enum(shareModes), code: z.string(), message: z.string() }).nullable(),
    }),
  ),
  total: z.number(),
}) satisfies z.ZodType<DocumentListing>;
const history = z.object({
  bucketSeconds: z.number(),
  start: z.string(),
  uploaded: counts,
  modified: counts,
  deleted: counts,
  moved: counts,
  failed: counts,
}) satisfies z.ZodType<HistoryReport>;
const fleet = z.object({
  health: statusSchema.shape.health,
  account: z.string(),
  paused: z.boolean(),
  rate: z.object({ used: z.number(), windowSeconds: z.number() }),
  hosts: z.array(
    hostSummarySchema.extend({
      host: z.string(),
      presence: z.enum(presences),
      lastSeen: z.string(),
      used: z.number(),
    }),
  ),
}) satisfies z.ZodType<FleetStatus>;
const readiness = z.object({ ready: z.boolean(), reasons: statusSchema.shape.reasons });
const health = z.object({ healthy: z.boolean() });
/** Of who is not let in. */
const refusal = errorSchema.extend({ status: z.number().optional() });

/** An address that is read. */
interface Reading {
  readonly summary: string;
  /** By status; a text: the media type of what is no JSON. */
  readonly answers: Readonly<Record<number, z.ZodType | string>>;
  readonly query?: z.ZodObject;
  /** Asks for no token. */
  readonly isOpen?: boolean;
}

const reading: Readonly<Record<string, Reading>> = {
  '/healthz': {
    summary: 'Whether the process makes progress.',
    answers: { 200: health, 503: health },
    isOpen: true,
  },
  '/readyz': {
    summary: 'Whether folders are watched and credentials accepted, else why not.',
    answers: { 200: readiness, 503: readiness },
  },
  '/metrics': { summary: 'Metrics for Prometheus.', answers: { 200: 'text/plain' } },
  '/api/status': {
    summary: 'The status, as `ingestd status --json` prints it.',
    answers: { 200: statusAnswer },
  },
  '/api/history': {
    summary: 'Documents per 20 minutes over the last day, oldest first.',
    answers: { 200: history },
  },
  '/api/log': {
    summary: 'What happened last, newest first.',
    answers: { 200: z.object({ entries: z.array(activitySchema) }) },
  },
  '/api/fleet': {
    summary: 'All hosts of the account, those that need a person first.',
    answers: { 200: fleet, 404: errorSchema, 503: errorSchema },
  },
  '/api/why': {
    summary: 'The whole story of one file: an absolute path, or `folder/path`.',
    query: querySchemas.why,
    answers: { 200: whySchema, 400: errorSchema },
  },
  '/api/documents': {
    summary: 'Documents, and files that are none, by name: the first hundred.',
    query: querySchemas.documents,
    answers: { 200: documents, 400: errorSchema },
  },
  '/api/events': {
    summary: 'Server-sent events: `status` (as `/api/status`), `activity` (as in `/api/log`), `heartbeat`.',
    answers: { 200: 'text/event-stream', 503: errorSchema },
  },
};

/** What each changing call does. */
const changing: Readonly<Record<DecisionName, string>> = {
  retry: 'Puts failed documents back into the queue; no path: all but those in doubt.',
  resolve: 'Ends the doubt about one upload.',
  approve: 'Releases held deletions of one folder, or of all.',
  share: 'Names documents that are held more narrowly than is stated; those of `shown` get the stated mode.',
  keep: 'The other answer to held deletions: the documents stay at the service.',
  pause: 'Sends nothing of one folder, or of all, until it is resumed or `ms` have passed.',
  resume: 'Ends a pause.',
  rescan: 'Begins to scan one folder, or all.',
};

/** `docs/openapi.json`: the HTTP API of a running daemon as OpenAPI 3.1, from the schemas that check it. */
export function openApi(): object {
  const reads = Object.entries(reading).map(([path, { summary, answers, query, isOpen }]) => {
    const parameters = query === undefined ? {} : { parameters: parametersOf(query) };
    const security = isOpen === true ? { security: [] } : {};
    const refusals = isOpen === true ? { 403: refusal } : { 401: refusal, 403: refusal };
    const responses = responsesOf({ ...answers, ...refusals });
    return [path, { get: { summary, ...security, ...parameters, responses } }] as const;
  });
  const changes = Object.entries(changing).map(([name, summary]) => {
    const { given, answer } = decisionSchemas[name as DecisionName];
    const body = { 'application/json': { schema: jsonSchema(given, 'input') } };
    const responses = responsesOf({ 200: answer, 400: errorSchema, 401: refusal, 403: refusal });
    const post = {
      summary,
      security: [{ page: [] }],
      requestBody: { required: true, content: body },
      responses,
    };
    return [`/api/${name}`, { post }] as const;
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'ingestd',
      version: '1',
      description:
        'What a running daemon answers, on `http.host` and `http.port` and on the Unix socket `daemon.sock` in its ' +
        'state directory. Answers may have more fields than are named here. Calls that change something are for the ' +
        'command line, which uses the socket, and for the page of this host. Generated by npm run docs.',
    },
    servers: [{ url: 'http://127.0.0.1:7420' }],
    security: [{}, { token: [] }],
    paths: Object.fromEntries([...reads, ...changes]),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'INGESTD_HTTP_TOKEN, where it is set; as the password of HTTP Basic too.',
        },
        page: {
          type: 'apiKey',
          in: 'header',
          name: 'x-ingestd-token',
          description: 'The token of the page, new with each start. The socket asks for none.',
        },
      },
    },
  };
}

function responsesOf(answers: Reading['answers']): object {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const [type, schema] =
        typeof answer === 'string' ? [answer, {}] : ['application/json', jsonSchema(answer)];
      return [status, { description: statusWords[status] ?? 'Done.', content: { [type]: { schema } } }];
    }),
  );
}

const statusWords: Readonly<Record<string, string>> = {
  400: 'The request is invalid.',
  401: 'The token is required.',
  403: 'This caller may not do that.',
  404: 'There is none.',
  503: 'Not at the moment.',
};

function parametersOf(query: z.ZodObject): readonly object[] {
  const { properties = {}, required = [] } = jsonSchema(query, 'input');
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** What is answered may have more fields in another version; what is asked may not. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): ObjectSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: node }) => {
      if (io === 'output' && node.type === 'object' && node.properties !== undefined)
        delete node.additionalProperties;
    },
  });
  return json as ObjectSchema;
}
