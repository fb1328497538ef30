import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Cuts before the server sees the request, after it has responded, or within its response, or ends a stream early. */
export type Fault =
  | "pass"
  | "busy"
  | "unavailable"
  | "cut before"
  | "cut after"
  | "cut within"
  | "end early";

export type FaultyProxy = {
  url: string;
  requests(): number;
  close(): Promise<void>;
};

export async function startFaultyProxy(
  target: () => string,
  draw: (incoming: IncomingMessage) => Fault,
): Promise<FaultyProxy> {
  let requests = 0;

  function forward(
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    fault: Fault,
  ) {
    const { method = "GET", headers, url = "/" } = incoming;
    const forwarded = request(new URL(url, target()), { method, headers }, (response) => {
      if (fault === "cut after") {
        response.resume();
        response.on("end", () => outgoing.destroy());
        return;
      }
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      if (fault === "end early") return void outgoing.end();
      if (fault === "cut within") {
        response.once("data", (piece: Buffer) => {
          outgoing.write(piece.subarray(0, piece.length / 2), () => outgoing.destroy());
        });
        return;
      }
      response.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    outgoing.on("close", () => forwarded.destroy());
    forwarded.end(body);
  }

  const server = createServer(async (incoming, outgoing) => {
    requests += 1;
    const fault = draw(incoming);
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    if (fault === "cut before") return void outgoing.destroy();
    if (fault === "busy") return refuse(outgoing, 429, "rate_limited");
    if (fault === "unavailable") return refuse(outgoing, 503, "unavailable");
    forward(incoming, Buffer.concat(pieces), outgoing, fault);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function refuse(outgoing: ServerResponse, status: number, code: string): void {
  outgoing.writeHead(status, { "content-type": "application/problem+json", "retry-after": "0" });
  outgoing.end(
    JSON.stringify({ title: code, code, status, retryable: true, uuid: "", detail: code }),
  );
}
