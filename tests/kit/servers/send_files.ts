/** npm `send`, which express serves static files with, over Node's http server; its ETags are weak. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import send from "send";

export interface SendFiles extends AsyncDisposable {
  readonly origin: string;
  /** `Range` and `If-Range` of the requests so far, "-" where absent. */
  readonly asked: readonly string[];
}

export async function sendFiles(root: string): Promise<SendFiles> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { range = "-", "if-range": ifRange = "-" } = request.headers;
    asked.push(`${range} ${ifRange}`);
    send(request, request.url!, { root }).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
