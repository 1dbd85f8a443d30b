import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { TLSSocket, connect as connectTls } from 'node:tls';
import type { DetailedPeerCertificate } from 'node:tls';

import { excerpt } from '../../lib/text/printable.ts';
import { errorCode, errorMessage } from '../../model/errors.ts';
import { proxyFor } from '../../remote/http/agents.ts';
import { describeFault } from '../../remote/http/describe-fault.ts';
import { requestHead } from '../../remote/http/head-request.ts';

/** The way to one address, and how long each part of it took; times in ms from the beginning of the request. */
export type AddressReport = Awaited<ReturnType<typeof probeAddress>>;

interface TlsReport {
  readonly protocol: string | null;
  readonly cipher: string | null;
  /** Why the chain is not trusted; null: it is. */
  readonly distrust: string | null;
  /** The service's own certificate first. */
  readonly chain: readonly CertificateReport[];
}

export interface CertificateReport {
  readonly subject: string;
  readonly issuer: string;
  /** ISO 8601. */
  readonly validFrom: string;
  readonly validTo: string;
  readonly names: string | null;
}

const longestChain = 10;

/** Asks an address for nothing, as ingestd would connect to it. No credentials go out. Never rejects. */
export async function probeAddress(subject: string, address: string, withinMs: number) {
  const url = new URL('/', address);
  const proxy = proxyFor(address);
  const names = proxy === null ? await lookUp(url.hostname) : null;
  const asked = await ask(url, withinMs);
  const isUnseen = asked.tls === null && asked.error !== null && proxy === null;
  return {
    /** The key of the configuration. */
    subject,
    address,
    /** Without its password; null: none is used. */
    proxy,
    /** Null: the address names no host, or a proxy looks it up. */
    names,
    ...asked,
    /** Null: it is not https, or no certificate was seen. */
    tls: isUnseen ? await inspectTls(url, withinMs) : asked.tls,
  };
}

async function lookUp(hostname: string) {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return null;
  const before = performance.now();
  const answered = (addresses: readonly string[], error: string | null) => ({
    addresses,
    tookMs: Math.round(performance.now() - before),
    error,
  });
  try {
    return answered(
      (await lookup(host, { all: true })).map(({ address }) => address),
      null,
    );
  } catch (error) {
    return answered([], describeFault(errorCode(error) ?? 'unknown').message);
  }
}

async function ask(url: URL, withinMs: number) {
  const before = performance.now();
  const elapsed = () => Math.round(performance.now() - before);
  let connectedMs = null as number | null;
  const onConnected = () => (connectedMs = elapsed());
  try {
    return await requestHead(
      url.href,
      withinMs,
      ({ headers, socket, statusCode = null }) => {
        const clockAheadMs = Date.now() - Date.parse(headers.date ?? '');
        return {
          /** Why there was no answer. */
          error: null,
          tls: describeTls(socket, null),
          connectedMs,
          firstByteMs: elapsed(),
          /** Of the answer to `HEAD /`. */
          status: statusCode,
          /** This machine's clock less the service's; null: the answer has no date. */
          clockAheadMs: Number.isNaN(clockAheadMs) ? null : clockAheadMs,
        };
      },
      onConnected,
    );
  } catch (error) {
    const code = errorCode(error) ?? 'no-answer';
    const message = code === 'configuration' ? errorMessage(error) : describeFault(code).message;
    return { error: message, tls: null, connectedMs, firstByteMs: null, status: null, clockAheadMs: null };
  }
}

/** What certificate there is, although it is not trusted; nothing is sent. */
function inspectTls({ protocol, hostname, port }: URL, withinMs: number): Promise<TlsReport | null> {
  if (protocol !== 'https:') return Promise.resolve(null);
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connectTls({
      host,
      port: port === '' ? 443 : Number(port),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: false,
    });
    const end = (report: TlsReport | null): void => {
      socket.destroy();
      resolve(report);
    };
    socket.setTimeout(withinMs, () => end(null));
    socket.on('error', () => end(null));
    socket.once('secureConnect', () => {
      const { authorizationError } = socket as { authorizationError: unknown };
      const code = errorCode(authorizationError) ?? String(authorizationError);
      end(describeTls(socket, socket.authorized ? null : describeFault(code).message));
    });
  });
}

function describeTls(socket: Socket, distrust: string | null): TlsReport | null {
  if (!(socket instanceof TLSSocket)) return null;
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.standardName ?? null,
    distrust,
    chain: describeChain(socket.getPeerCertificate(true)),
  };
}

function describeChain(own: DetailedPeerCertificate): readonly CertificateReport[] {
  const chain: CertificateReport[] = [];
  let certificate: DetailedPeerCertificate | undefined = own;
  while (certificate?.valid_to !== undefined && chain.length < longestChain) {
    chain.push({
      subject: nameOf(certificate.subject),
      issuer: nameOf(certificate.issuer),
      validFrom: new Date(certificate.valid_from).toISOString(),
      validTo: new Date(certificate.valid_to).toISOString(),
      names: certificate.subjectaltname === undefined ? null : excerpt(certificate.subjectaltname),
    });
    const above: DetailedPeerCertificate | undefined = certificate.issuerCertificate;
    // The root is its own issuer.
    certificate = above === certificate ? undefined : above;
  }
  return chain;
}

function nameOf({ CN, O }: Partial<DetailedPeerCertificate['subject']> = {}): string {
  const [name = 'no name'] = [CN, O].flat().filter((part) => part !== undefined);
  return excerpt(name);
}
