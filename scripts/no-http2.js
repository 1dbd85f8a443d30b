// In the bundle this stands for http2-wrapper, got's door to HTTP/2, which is never opened here: loading it alone makes
// a TLS context, which holds the event loop for 20 to 30 ms.
export default {};
