import { expect, it } from '@jest/globals';

import { describeFault } from '../../../src/remote/http/describe-fault.ts';

it.each([
  ['ECONNREFUSED', 'econnrefused', 'the connection was refused', false],
  ['EAI_AGAIN', 'eai-again', 'the host name cannot be resolved at the moment', false],
  ['idle-timeout', 'idle-timeout', 'no data was transferred for service.idleSeconds', false],
  ['proxy-authentication', 'proxy-authentication', 'the proxy requires credentials', true],
  ['CERT_HAS_EXPIRED', 'tls', 'its certificate is not trusted (CERT_HAS_EXPIRED)', true],
  ['a CERT, with words', 'unknown', 'the connection failed (unknown)', false],
  ['ERR_SSL_ALERT_CERTIFICATE', 'tls', 'the TLS handshake failed (ERR_SSL_ALERT_CERTIFICATE)', true],
  ['EPROTO', 'tls', 'the TLS handshake failed (EPROTO)', true],
  ['ERR_SSL_WRONG_VERSION NUMBER\n', 'tls', 'the TLS handshake failed (ERR_SSL_WRONG_VERSIONNUMBER)', true],
  [
    'HPE_INVALID_CONSTANT',
    'hpe-invalid-constant',
    'what answers does not speak HTTP (HPE_INVALID_CONSTANT)',
    false,
  ],
  ['EHOSTUNREACH', 'ehostunreach', 'the host is unreachable', false],
  ['constructor', 'constructor', 'the connection failed (constructor)', false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'the TLS handshake failed (ERR_SSL_WRONG_VERSION_NUMBER)', true],
  ['ENEWCODE', 'enewcode', 'the connection failed (ENEWCODE)', false],
  ['a secret, with words', 'unknown', 'the connection failed (unknown)', false],
  ['', 'unknown', 'the connection failed (unknown)', false],
  ['x'.repeat(60), 'x'.repeat(60), `the connection failed (${'x'.repeat(60)})`, false],
  ['x'.repeat(61), 'unknown', 'the connection failed (unknown)', false],
])('a connection that failed with %j is said in fixed words', (given, code, message, misaddressed) => {
  expect(describeFault(given)).toEqual({ code, message, misaddressed });
});
