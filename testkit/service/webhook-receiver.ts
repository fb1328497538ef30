import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export type ReceivedWebhook = { path: string; headers: IncomingHttpHeaders; body: string };

export type WebhookReceiver = {
  url: string;
  deliveries: ReceivedWebhook[];
  responders: Map<string, RequestListener>;
  close(): Promise<void>;
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const deliveries: ReceivedWebhook[] = [];
  const responders = new Map<string, RequestListener>();
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      deliveries.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() });
      const responder = responders.get(path);
      if (responder === undefined) response.writeHead(204).end();
      else responder(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    deliveries,
    responders,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
