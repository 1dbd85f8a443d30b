const words = new Map(
  Object.entries({
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was reset',
    EPIPE: 'the connection was closed while sending',
    ECONNABORTED: 'the connection was aborted',
    ENOTFOUND: 'the host name is unknown',
    EAI_AGAIN: 'the host name cannot be resolved at the moment',
    EHOSTUNREACH: 'the host is unreachable',
    ENETUNREACH: 'the network is unreachable',
    ETIMEDOUT: 'the connection timed out',
    'connect-timeout': 'no connection within service.connectSeconds',
    'idle-timeout': 'no data was transferred for service.idleSeconds',
    'response-timeout': 'no complete answer within service.responseSeconds',
    'request-timeout': 'the whole request took too long',
    'proxy-refused': 'the proxy refused the connection',
    'proxy-authentication': 'the proxy requires credentials',
    'no-answer': 'no answer was received',
    stopped: 'ingestd is stopping',
    'permit-lost': 'the permit of the request was lost',
  }),
);

/** As OpenSSL and Node name what is wrong with a certificate: `CERT_HAS_EXPIRED`, `DEPTH_ZERO_SELF_SIGNED_CERT` … */
const trustCode =
  /^(?:[A-Z_]*CERT[A-Z_]*|UNABLE_TO_VERIFY_LEAF_SIGNATURE|INVALID_CA|INVALID_PURPOSE|HOSTNAME_MISMATCH)$/;

/**
 * Says in fixed words what the code of a failed connection means; codes not in the table are shown as they are.
 * `misaddressed`: a person has to fix the address, the certificate or the proxy: a retry does not help.
 */
export function describeFault(code: string) {
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) {
    const safe = code.replaceAll(/\W/g, '');
    return { code: 'tls', message: `the TLS handshake failed (${safe})`, misaddressed: true };
  }
  if (trustCode.test(code)) {
    const message = `its certificate is not trusted (${code})`;
    return { code: 'tls', message, misaddressed: true };
  }
  const safe = /^[\w-]{1,60}$/.test(code) ? code : 'unknown';
  const what = safe.startsWith('HPE_') ? 'what answers does not speak HTTP' : 'the connection failed';
  const message = words.get(safe) ?? `${what} (${safe})`;
  // Node's code in this project's spelling.
  const ours = safe.toLowerCase().replaceAll('_', '-');
  return { code: ours, message, misaddressed: safe === 'proxy-authentication' };
}
