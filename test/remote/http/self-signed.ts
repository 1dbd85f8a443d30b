/** A certificate for localhost, 127.0.0.1 and service.test that nobody trusts, with its key: of no use elsewhere. */
export const selfSigned = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBPr1JbgRh3nGtrd+
MXO9/ouJmTx5SBpz7acKS9T4pUyhRANCAASoulthQxz4oL7rqBQGEUhdLMgm9Czv
SwRMoSyVC77v3lmaqanCq/b+fqJuCHoBpyajlySiHzOlq/4PZ+t7A7rt
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBqTCCAU+gAwIBAgIULe4UDWwvr3/wBAkvIUUVTp/sHoowCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA1MTQwNloYDzIxMjYxMDI4
MDUxNDA2WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASoulthQxz4oL7rqBQGEUhdLMgm9CzvSwRMoSyVC77v3lmaqanCq/b+
fqJuCHoBpyajlySiHzOlq/4PZ+t7A7rto30wezAdBgNVHQ4EFgQUNWwl2iRtswQD
q8KHpVXhzG3sk6cwHwYDVR0jBBgwFoAUNWwl2iRtswQDq8KHpVXhzG3sk6cwDwYD
VR0TAQH/BAUwAwEB/zAoBgNVHREEITAfgglsb2NhbGhvc3SCDHNlcnZpY2UudGVz
dIcEfwAAATAKBggqhkjOPQQDAgNIADBFAiEAmyi07T5bcQx3ye+dBMO8JfxKvsys
9ikdKH1GWzdaijcCIH/sgMQmLjAD+LtrDiJm1YmyCconBHd9cEKN5DGkGSis
-----END CERTIFICATE-----
`,
};
