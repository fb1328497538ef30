import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyRequest } from "fastify";
import { answerUnreadable } from "./unreadable-request.ts";
import { problem } from "./write-problem.ts";

/** Node's own refusals have no body. An unknown `Expect` is ignored (RFC 9110 section 10.1.1), a CONNECT gets a problem. */
export function answerBareRefusals(server: Server, newId: () => string): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    answerUnreadable(new Error("a CONNECT names no path"), socket, newId());
  });
}

/** Node reads only the first; a proxy in front may have read another. */
const singleFields = ["authorization", "host"];

/** RFC 9112 section 3.2; `requireHostHeader` would send an empty body. */
export async function fieldsHook({ raw, headers }: FastifyRequest): Promise<void> {
  if (raw.httpVersion === "1.1" && headers.host === undefined) {
    throw problem("invalid_request", "the Host header is required", {
      hint: "send a Host header, as HTTP/1.1 requires",
    });
  }
  const names = raw.rawHeaders.filter((_, index) => index % 2 === 0).map(lowerCased);
  for (const name of singleFields) {
    if (names.indexOf(name) === names.lastIndexOf(name)) continue;
    throw problem("invalid_request", `the request has more than one ${name} field`, {
      hint: "send Host and Authorization once each",
    });
  }
}

const lowerCased = (name: string): string => name.toLowerCase();
