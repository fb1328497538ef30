import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type EmulatedResponse = {
  status: number;
  json?: unknown;
  headers?: Readonly<Record<string, string>>;
};

export async function startHost(
  respond: (request: IncomingMessage, body: string) => EmulatedResponse,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { status, json, headers } = respond(request, body);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(json ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const makeDidDocument = (did: string, handle: string, url: string) => ({
  id: did,
  alsoKnownAs: [`at://${handle}`],
  service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: url }],
});
