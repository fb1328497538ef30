import { createServer } from "node:http";
import type { SimulatedTee } from "../../src/remote/evidence/simulated/simulated-tee.ts";

export type AgentError = "error" | "garbage" | "no quote" | "too long" | "cut off";

export type FakeGuestAgent = {
  requests: string[];
  failWith(error: AgentError | null): void;
  stop(): Promise<void>;
};

export async function startGuestAgent(
  socketPath: string,
  tee: SimulatedTee,
): Promise<FakeGuestAgent> {
  let error: AgentError | null = null;
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request.url ?? "");
    let body = "";
    for await (const piece of request) body += piece;
    if (error === "error") return response.writeHead(500).end("{}");
    if (error === "garbage") return response.end("hello");
    if (error === "no quote") return response.end('{"error":"no"}');
    if (error === "too long") return response.end(" ".repeat(600_000));
    if (error === "cut off") {
      response.writeHead(200, { "content-length": "1000" }).write("{");
      return setImmediate(() => response.destroy());
    }
    if (request.url !== "/GetQuote") return response.writeHead(404).end("{}");
    const { report_data } = JSON.parse(body);
    const { quote, event_log } = tee.evidence(Buffer.from(report_data, "hex"));
    return response.end(JSON.stringify({ quote, event_log, vm_config: "{}", report_data }));
  });
  server.on("connection", (socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  return {
    requests,
    failWith: (next) => {
      error = next;
    },
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
