import { createServer, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";

export async function startTamperingProxy(
  target: string,
  replacements: Readonly<Record<string, unknown>>,
): Promise<{ url: string; replacedPaths: readonly string[]; close(): void }> {
  const replacedPaths: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const replacement = replacements[path];
    if (replacement !== undefined) {
      replacedPaths.push(path);
      request.resume();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(replacement));
      return;
    }
    const { method, headers } = request;
    const forwardedRequest = sendRequest(
      new URL(path, target),
      { method, headers },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
        upstreamResponse.pipe(response);
      },
    );
    forwardedRequest.on("error", () => response.destroy());
    response.on("close", () => forwardedRequest.destroy());
    request.pipe(forwardedRequest);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    replacedPaths,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
