import { rm } from 'node:fs/promises';

import { expect } from '@jest/globals';
import { z } from 'zod';

import { startEmbeddedService } from '../../../src/embedded/embedded-service.ts';
import type { EmbeddedService, EmbeddedServiceOptions } from '../../../src/embedded/embedded-service.ts';
import { silentLog } from '../../../src/model/ports/log-port.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { ManualClock } from '../../support/manual-clock.ts';
import { ofEachTest } from '../../support/of-each-test.ts';
import { followRequests } from '../../support/services/follow-requests.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const tokenSchema = z.strictObject({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1),
  token_type: z.literal('Bearer'),
  expires_in: z.number(),
});

const entrySchema = z.strictObject({ docId: z.string(), message: z.string().min(1) });

const envelopeSchema = z.strictObject({
  error: entrySchema.nullable(),
  success: entrySchema.nullable(),
  warning: entrySchema.nullable(),
});

export type Tokens = z.infer<typeof tokenSchema>;

interface Answer extends z.infer<typeof envelopeSchema> {
  readonly status: number;
  readonly headers: Headers;
}

/** A part of a form: text, or a file with a name. */
export type Part = readonly [name: string, content: string | Uint8Array, fileName?: string];

/** A service of a test's own, spoken to over real HTTP. */
export interface Trial {
  readonly service: Awaited<ReturnType<typeof start>>;
  readonly clock: ManualClock;
  readonly dataDir: string;
  /** `POST /auth`; fields that are undefined are left out. */
  readonly auth: (
    fields?: Readonly<Record<string, string | undefined>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
  readonly login: () => Promise<Tokens>;
  readonly refresh: (refreshToken: string) => Promise<Response>;
  readonly revoke: (
    accessToken: string,
    init?: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<Response>;
  /** An ingestion call with a good token, or with the headers given. */
  readonly call: (method: string, path: string, init?: CallInit) => Promise<Answer>;
  readonly form: (method: string, path: string, parts: readonly Part[]) => Promise<Answer>;
  readonly json: (method: string, path: string, body: unknown) => Promise<Answer>;
  /** Uploads a small document; gives its docId. */
  readonly upload: (fileName: string, content: string, metadata?: object) => Promise<string>;
  readonly headers: () => Promise<Record<string, string>>;
  /** Closes the service and starts another on the same data. */
  readonly restart: (options?: Partial<EmbeddedServiceOptions>) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface CallInit {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | FormData | undefined;
}

export const prefix = '/services/i/ingestion-api/v1';

export async function startTrial(given: Partial<EmbeddedServiceOptions> = {}): Promise<Trial> {
  const folder = await temporaryFolder();
  const clock = manualClock();
  const dataDir = given.dataDir ?? folder.join('data');
  const options = { dataDir, clock, log: silentLog, requestsPerMinute: 10_000, ...given };
  let service = await start(options);
  let tokens: Promise<Tokens> | undefined;

  const auth: Trial['auth'] = (fields = {}, headers = {}) => {
    const { clientId, clientSecret, username, password, apiKey } = service.credentials;
    const all = {
      grant_type: 'password',
      username,
      password,
      client_id: clientId,
      client_secret: clientSecret,
      ...fields,
    };
    const body = new URLSearchParams(Object.entries(all).filter(isPresent));
    return fetch(`${service.authUrl}/auth`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': apiKey, ...headers },
    });
  };
  const login = async () => {
    const answer = await auth();
    expect(answer.status).toBe(200);
    return tokenSchema.parse(await answer.json());
  };
  const headers = async () => {
    tokens ??= login();
    return { Authorization: `Bearer ${(await tokens).access_token}`, ClientId: service.credentials.clientId };
  };
  const call: Trial['call'] = async (method, path, init = {}) => {
    const answer = await fetch(`${service.ingestUrl}${prefix}${path}`, {
      method,
      headers: init.headers ?? (await headers()),
      ...(init.body !== undefined && { body: init.body }),
    });
    const envelope = envelopeSchema.parse(await answer.json());
    expect(envelope.error === null).toBe(answer.ok);
    expect(envelope.success === null).toBe(!answer.ok);
    return { ...envelope, status: answer.status, headers: answer.headers };
  };
  const form: Trial['form'] = (method, path, parts) => {
    const body = new FormData();
    for (const [name, content, fileName] of parts) {
      if (fileName === undefined) body.append(name, String(content));
      else body.append(name, new Blob([Buffer.from(content)]), fileName);
    }
    return call(method, path, { body });
  };

  return {
    get service() {
      return service;
    },
    clock,
    dataDir,
    auth,
    login,
    refresh: (refreshToken) =>
      auth({
        grant_type: 'refresh_token',
        username: undefined,
        password: undefined,
        refresh_token: refreshToken,
      }),
    revoke: (accessToken, init = {}) =>
      fetch(`${service.authUrl}/auth/token/revoke`, {
        method: 'POST',
        headers: {
          'x-api-key': service.credentials.apiKey,
          Authorization: `Bearer ${accessToken}`,
          clientid: service.credentials.clientId,
          ...init.headers,
        },
        ...(init.body !== undefined && { body: Buffer.from(init.body) }),
      }),
    call,
    form,
    json: async (method, path, body) =>
      call(method, path, {
        headers: { ...(await headers()), 'Content-Type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(body),
      }),
    upload: async (fileName, content, metadata) => {
      const answer = await form('POST', '/upload-document', [
        ['file', content, fileName],
        ...(metadata === undefined ? [] : [['metadata', JSON.stringify(metadata)] as const]),
      ]);
      expect(answer.error).toBeNull();
      return answer.success?.docId ?? '';
    },
    headers,
    restart: async (changed = {}) => {
      await service.close();
      service = await start({ ...options, ...changed });
      tokens = undefined;
    },
    close: async () => {
      await service.close();
      await folder.remove();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** One that is new for each test of the file, or of the `describe`, in which it is called, and closed after it. */
export function trialOfEachTest(options?: Partial<EmbeddedServiceOptions>): Trial {
  return ofEachTest(() => startTrial(options));
}

function isPresent(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

async function start(options: EmbeddedServiceOptions) {
  const service = await startEmbeddedService(options);
  const held = (docId: string) => service.documents().find((document) => document.docId === docId);
  const { requestLog, stop } = followRequests(service.ingestUrl, options.clock.monotonic);
  const close = async (): Promise<void> => {
    stop();
    await service.close();
  };
  return {
    ...service,
    requestLog,
    close,
    /** With the name, size and hash of its file. */
    documents: () =>
      service.documents().map(({ file, attachments, ...document }) => ({
        ...document,
        fileName: file.name,
        size: file.size,
        sha256: file.sha256,
        attachments: attachments.map(({ name, size, sha256 }) => ({ name, size, sha256 })),
      })),
    /** Where the bytes of a document are; null: it is not there. */
    contentPath: (docId: string) => pathOf(service, held(docId)?.file),
    /** The same for an attachment, counted from 0. */
    attachmentPath: (docId: string, place: number) => pathOf(service, held(docId)?.attachments[place]),
  };
}

function pathOf(service: EmbeddedService, file: { readonly blob: string } | undefined): string | null {
  return file === undefined ? null : service.pathOf(file);
}
