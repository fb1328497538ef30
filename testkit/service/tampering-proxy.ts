import { createServer, request as requestOf } from "node:http";
import type { AddressInfo } from "node:net";

export async function startTamperingProxy(
  target: string,
  replacements: Readonly<Record<string, unknown>>,
): Promise<{ url: string; replaced: readonly string[]; close(): void }> {
  const replaced: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const replacement = replacements[path];
    if (replacement !== undefined) {
      replaced.push(path);
      request.resume();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(replacement));
      return;
    }
    const { method, headers } = request;
    const forwarded = requestOf(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    replaced,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
