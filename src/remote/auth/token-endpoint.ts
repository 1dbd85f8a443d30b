import {
  CredentialsRefusedError,
  MisaddressedError,
  ServiceUnavailableError,
  StoppedError,
} from '../../model/errors.ts';
import type { Credentials } from '../../model/settings.ts';
import { describeFault } from '../http/describe-fault.ts';
import { sendHttpRequest, textBody } from '../http/send-http-request.ts';
import type { Answer, HttpOptions, HttpBody } from '../http/send-http-request.ts';
import {
  answerWords,
  isHtml,
  noOperationStatuses,
  parseJson,
  readRetryAfter,
  tokenResponse,
} from '../http/read-answer.ts';

/** A token as it was issued. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  /** As it came, whatever it is. */
  readonly expiresIn: unknown;
}

interface TokenEndpointOptions extends HttpOptions {
  readonly authUrl: string;
  /** Redacts and escapes a text of the service. */
  readonly redact: (text: string, credentials: Credentials) => string;
  /** The service is known at these addresses: what looks like a wrong one now may pass by itself. */
  readonly hasWorked: () => boolean;
}

/**
 * Talks to the token endpoints under `authUrl`: the two calls of interface 4.1 and 4.2, one request each. They throw
 * CredentialsRefusedError, ServiceUnavailableError, MisaddressedError and, when `signal` ends them, StoppedError.
 */
export function createTokenEndpoint({ authUrl, redact, hasWorked, ...options }: TokenEndpointOptions) {
  return {
    password: (credentials: Credentials) =>
      grant(credentials, {
        grant_type: 'password',
        username: credentials.username,
        password: credentials.password,
      }),
    refresh: (credentials: Credentials, refreshToken: string) =>
      grant(credentials, { grant_type: 'refresh_token', refresh_token: refreshToken }),
    revoke,
  };

  async function grant(credentials: Credentials, fields: Record<string, string>): Promise<Grant> {
    const { clientId, clientSecret } = credentials;
    const form = new URLSearchParams({ ...fields, client_id: clientId, client_secret: clientSecret });
    const answer = await post('/auth', credentials, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: textBody(form.toString()),
    });
    if (answer.status >= 300) throw failure(answer, credentials);
    const parsed = tokenResponse.safeParse(answer.state === 'whole' ? parseJson(answer.text) : undefined);
    if (!parsed.success) {
      const [field = 'access_token'] = parsed.error.issues[0]?.path ?? [];
      throw new ServiceUnavailableError(`the token endpoint: ${lackOf(answer, String(field))}`);
    }
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = parsed.data;
    if (!isHeaderSafe(accessToken)) {
      const why = 'the access_token in its answer has characters that an HTTP header does not allow';
      throw new ServiceUnavailableError(`the token endpoint: ${why}`);
    }
    return { accessToken, refreshToken: refreshToken ?? null, expiresIn };
  }

  /** `expired`: the token was not valid any more. */
  async function revoke(credentials: Credentials, token: string, { all }: { readonly all: boolean }) {
    const headers = { authorization: `Bearer ${token}`, clientid: credentials.clientId };
    const answer = await post('/auth/token/revoke', credentials, {
      // Without its Content-Type a body is ignored with a 200, and a Content-Type without a body is wrong too.
      headers: all ? { ...headers, 'content-type': 'application/json' } : headers,
      body: all ? textBody(JSON.stringify({ revokeRefreshTokens: true })) : null,
    });
    if (answer.status === 401) return 'expired' as const;
    if (answer.status >= 300) throw failure(answer, credentials);
    return 'done' as const;
  }

  async function post(
    path: string,
    credentials: Credentials,
    { headers, body }: { readonly headers: Record<string, string>; readonly body: HttpBody | null },
  ): Promise<Answer> {
    if (!isHeaderSafe(credentials.apiKey) || !isHeaderSafe(credentials.clientId)) {
      throw new CredentialsRefusedError(
        'the API key or the client ID contains characters that an HTTP header does not allow',
      );
    }
    const result = await sendHttpRequest(
      {
        method: 'POST',
        url: `${authUrl}${path}`,
        headers: { ...headers, 'x-api-key': credentials.apiKey },
        body,
      },
      options,
    );
    if (result.kind === 'answer') return result;
    const words = describeFault(result.code);
    const message = `the token endpoint (${result.host}): ${words.message}`;
    if (result.code === 'stopped') throw new StoppedError(message);
    throw words.misaddressed ? elsewhere(words.code, message) : new ServiceUnavailableError(message);
  }

  /** What answers at this address is not the token endpoint. */
  function elsewhere(code: string, message: string): Error {
    return hasWorked() && code !== 'proxy-authentication'
      ? new ServiceUnavailableError(message, null, code)
      : new MisaddressedError(code, message);
  }

  function failure(answer: Answer, credentials: Credentials): Error {
    const { status, headers } = answer;
    const words = redact(answerWords(answer), credentials);
    const message = `the token endpoint: the service answered ${words}`;
    const foreign = `something else than the token endpoint answers at service.authUrl, ${authUrl} (${words})`;
    if (status < 400) return elsewhere('redirect', `the token endpoint, ${authUrl}, redirects (${status})`);
    if (noOperationStatuses.has(status)) return elsewhere('auth-not-found', foreign);
    if (status === 400 || status === 401 || status === 403) {
      return isHtml(answer) ? elsewhere('auth-not-found', foreign) : refusal(answer, words, authUrl);
    }
    if (status === 407) return new MisaddressedError('proxy-authentication', message);
    const now = options.clock.now();
    const retryAfterMs = readRetryAfter(headers['retry-after'], { now, date: headers.date });
    return new ServiceUnavailableError(message, retryAfterMs, status === 429 ? 'rate-limited' : undefined);
  }
}

/** What keeps a success from being a token; `field`: that cannot be used. */
function lackOf({ state, text }: Answer, field: string): string {
  if (state !== 'whole') return 'its answer was cut off or is too long';
  if (text.trim() === '') return 'its answer is empty';
  if (isHtml({ text })) return 'its answer is a web page; a network login page or a proxy may be in between';
  return parseJson(text) === undefined ? 'its answer is not JSON' : `its answer has no ${field} that is text`;
}

/**
 * Which credentials an answer refuses: 403 says that the others are valid (interface 7.1), else the code of OAuth tells
 * (RFC 6749, 5.2) where there is one. Without one it may be another server.
 */
function refusal({ status, text }: Answer, words: string, authUrl: string): CredentialsRefusedError {
  const { error } = Object(parseJson(text)) as { readonly error?: unknown };
  const doubt =
    typeof error === 'string'
      ? ''
      : `, and not as a token endpoint does: check service.authUrl (${authUrl}) too`;
  const refused = (what: string, which: CredentialsRefusedError['which']) =>
    new CredentialsRefusedError(`the service refused ${what} (${words})${doubt}`, which);
  if (status === 403) return refused('the API key, or its access', ['apiKey']);
  if (error === 'invalid_client') return refused('the client ID or secret', ['clientId', 'clientSecret']);
  if (error === 'invalid_grant') return refused('the user name or password', ['username', 'password']);
  return refused('the user name or password, or other credentials', []);
}

/** Visible ASCII without spaces at the ends: what can stand in a header and be no second one. */
function isHeaderSafe(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}
