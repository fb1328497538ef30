import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyRequest } from "fastify";
import { problem } from "./problem-writer.ts";
import { answerUnreadable } from "./unreadable-request.ts";

/**
 * The server of Node refuses some requests itself, with an empty body or none: an `Expect` that it does not know, which is
 * answered here as if it were not there (RFC 9110 section 10.1.1), and a CONNECT.
 */
export function replaceBareRefusals(server: Server, newId: () => string): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    answerUnreadable(new Error("a CONNECT names no path"), socket, newId());
  });
}

/** HTTP/1.1 wants every request to name its host (RFC 9112 section 3.2); `requireHostHeader` would refuse it with an empty body. */
export async function hostHook(request: FastifyRequest): Promise<void> {
  if (request.raw.httpVersion !== "1.1" || request.headers.host !== undefined) return;
  throw problem("invalid_request", "the request has no Host field", {
    hint: "send the header field Host, as HTTP/1.1 wants it of every request",
  });
}
