import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** When the bytes of one upload came, ms of this process. */
interface Upload {
  readonly pieces: number[];
  ended: boolean;
}

/** A service that takes every upload, and notes when each of its bytes came. */
export interface UploadObserver {
  readonly authUrl: string;
  readonly ingestUrl: string;
  readonly uploads: readonly Upload[];
  readonly close: () => Promise<void>;
}

export async function startUploadObserver(): Promise<UploadObserver> {
  const uploads: Upload[] = [];
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/oauth') === true) {
      response.end('{"access_token":"t","refresh_token":"r","token_type":"Bearer","expires_in":1800}');
      return;
    }
    const upload: Upload = { pieces: [], ended: false };
    const number = uploads.push(upload);
    request.on('error', () => {});
    request.on('data', () => upload.pieces.push(performance.now()));
    request.on('end', () => {
      upload.ended = true;
      response.end(`{"success":{"docId":"doc-${number}","message":""}}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ingestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    authUrl: `${ingestUrl}/oauth`,
    ingestUrl,
    uploads,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
