import type { AddressInfo } from 'node:net';

import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';

import type { Clock } from '../lib/time/clock.ts';
import { printableJson } from '../lib/text/printable.ts';
import { backlog, closeInTime, createLimitedServer, noSchemas } from '../lib/server/http-server.ts';
import type { LogPort } from '../model/ports/log-port.ts';
import { ConfigurationError, errorCode } from '../model/errors.ts';
import { fileFault } from '../model/report/file-fault.ts';
import { addFallbacks, answerBadUrl, answerClientError } from './http/answers.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { addAuthRoutes } from './auth/auth-routes.ts';
import type { AuthContext } from './auth/auth-routes.ts';
import { openIdentity } from './auth/identity.ts';
import { createTokens } from './auth/tokens.ts';
import { takeDataDirectory } from './documents/data-directory.ts';
import type { DataDirectory } from './documents/data-directory.ts';
import { openDocumentStore } from './documents/document-store.ts';
import type { DocumentStore } from './documents/document-store.ts';
import { addIngestionRoutes, ingestionPrefix } from './ingestion/ingestion-routes.ts';
import { addPageRoutes } from './page/page-routes.ts';

/** Interface section 8: 150 MB, of 1024 * 1024 bytes. */
const defaultMaxFileBytes = 150 * 1024 * 1024;

export interface EmbeddedServiceOptions {
  /** Absolute; made if need be, 0700. One service at a time. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: LogPort;
  /** 0: any free port. */
  readonly port?: number | undefined;
  /** The preferred port where it is free, so that the address stays the same; else any free one. */
  readonly usualPort?: number | undefined;
  readonly requestsPerMinute?: number | undefined;
  /** The length of a "minute", for trials that cannot wait. */
  readonly windowMs?: number | undefined;
  readonly accessTokenSeconds?: number | undefined;
  readonly maxFileBytes?: number | undefined;
  readonly maxAuthRequestsPerMinute?: number | undefined;
  /** Asked for by the page; null: it answers only to the user that runs the service, on this machine. */
  readonly pageToken?: string | null | undefined;
}

/** It has no encryption. */
const host = '127.0.0.1';
/** Lets requests in flight finish for so long when it closes. */
const graceMs = 2000;
/** A form of eleven parts of full size has to pass on a slow network. */
const requestMs = 30 * 60_000;
/** Identifiers and file names that are longer are refused by their own rules. */
const maxParameterCharacters = 2000;

/** The running service. */
export type EmbeddedService = Awaited<ReturnType<typeof serve>>;

/**
 * Starts the service of the interface on one address, with its documents and trial credentials in `dataDir`.
 * Throws StateLockedError when another service holds the directory, IngestdError when its files are damaged,
 * ConfigurationError when the address cannot be had, or a file of its own is closed to this user.
 */
export async function startEmbeddedService(options: EmbeddedServiceOptions): Promise<EmbeddedService> {
  let data: DataDirectory | null = null;
  let store: DocumentStore | null = null;
  try {
    data = await takeDataDirectory(options.dataDir);
    store = await openDocumentStore(data);
    return await serve(options, data, store);
  } catch (error) {
    await store?.close();
    await data?.release();
    throw fileFault(error);
  }
}

async function serve(options: EmbeddedServiceOptions, data: DataDirectory, store: DocumentStore) {
  const {
    clock,
    log,
    windowMs = 60_000,
    requestsPerMinute = 50,
    accessTokenSeconds = 1800,
    maxAuthRequestsPerMinute = 60,
    maxFileBytes = defaultMaxFileBytes,
  } = options;
  const limited = (what: string, limit: number) => createRateLimit(what, limit, windowMs, clock);
  const auth: AuthContext = {
    identity: await openIdentity(data),
    tokens: createTokens({ seconds: accessTokenSeconds, clock }),
    countRequest: limited('authentication requests', maxAuthRequestsPerMinute),
  };
  const { credentials } = auth.identity;
  const countRequest = limited('requests', requestsPerMinute);
  const context = { store, clock, content: data.content, maxFileBytes, username: credentials.username };

  const app: FastifyInstance = fastify({
    logger: false,
    exposeHeadRoutes: false,
    serverFactory: (handler) => createLimitedServer(handler, { requestMs }),
    routerOptions: { maxParamLength: maxParameterCharacters },
    frameworkErrors: answerBadUrl,
    clientErrorHandler: answerClientError,
    schemaController: noSchemas,
  });
  app.setReplySerializer((answer) => printableJson(JSON.stringify(answer)));
  addFallbacks(app, log);
  app.register(async (scope) => addPageRoutes(scope, store, options.pageToken ?? null));
  app.register(async (scope) => addAuthRoutes(scope, auth));
  app.register(async (scope) => addIngestionRoutes(scope, context, auth, countRequest), {
    prefix: ingestionPrefix,
  });
  const url = await listen(app, options);

  let closed: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await closeInTime(app.server, graceMs, () => app.close());
    await store.close();
    await data.release();
  };

  return {
    /** Base of the token endpoints, without a slash at the end. */
    authUrl: url,
    /** Base of the ingestion operations, without a slash at the end. */
    ingestUrl: url,
    /** The page, for a person on this machine. */
    pageUrl: `${url}/`,
    credentials,
    /** In the order of their upload. */
    documents: store.list,
    /** Absolute path of the bytes of one of their files. */
    pathOf: store.pathOf,
    /** Lets requests in flight finish for two seconds, then cuts them. */
    close: () => {
      closed ??= stop();
      return closed;
    },
  };
}

/**
 * Opens the address, first on the preferred port, and gives its URL, without a slash at the end. Throws
 * ConfigurationError when it is taken or not ours.
 */
async function listen(
  app: FastifyInstance,
  { port = 0, usualPort = port }: Pick<EmbeddedServiceOptions, 'port' | 'usualPort'>,
): Promise<string> {
  try {
    await app.listen({ host, port: usualPort, backlog });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EADDRINUSE' && usualPort !== port) return listen(app, { port });
    await app.close();
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error;
    throw new ConfigurationError(
      `the embedded service cannot listen on ${host}:${usualPort} (${code}); choose another port`,
      { cause: error },
    );
  }
  return `http://${host}:${(app.server.address() as AddressInfo).port}`;
}
