import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyRequest } from "fastify";
import { type ProblemCode, problems, problemType } from "./problems.ts";
import { problem } from "./write-problem.ts";

/** Answers a request that reaches no Fastify hook. */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex, id: string) {
  if (socket.writable && error.code !== "ECONNRESET") {
    const code = getCode(error.code);
    const { status, title, retryable } = problems[code];
    const { reason, detail, hint } = texts[code];
    const body = JSON.stringify({
      type: problemType(code),
      title,
      status,
      detail,
      code,
      retryable,
      request_id: id,
      hint,
      error: detail,
    });
    socket.write(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
        `Cache-Control: no-store\r\nX-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

type UnreadableCode = Extract<
  ProblemCode,
  "header_too_large" | "request_timeout" | "invalid_request"
>;

const texts: Readonly<Record<UnreadableCode, { reason: string; detail: string; hint: string }>> = {
  header_too_large: {
    reason: "Request Header Fields Too Large",
    detail: "the request line and header exceed the size limit",
    hint: "shorten the URL and header fields; EARSHOT_MAX_HEADER_BYTES sets the limit",
  },
  request_timeout: {
    reason: "Request Timeout",
    detail: "timed out waiting for the complete request",
    hint: "send it again with a correct Content-Length",
  },
  invalid_request: {
    reason: "Bad Request",
    detail: "not a valid HTTP/1.1 request",
    hint: "use HTTP/1.1 without TLS; check the address and the client",
  },
};

function getCode(code: string | undefined): UnreadableCode {
  if (code === "HPE_HEADER_OVERFLOW") return "header_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return "invalid_request";
}

/**
 * Node's own rejections have no body. An unknown `Expect` is ignored (RFC 9110, section 10.1.1); a
 * CONNECT gets a problem.
 */
export function handleExpectAndConnect(server: Server, newId: () => string): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    server.emit("request", request, response);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    answerUnreadable(new Error("a CONNECT names no path"), socket, newId());
  });
}

/** Node reads only the first, but a proxy may have read another. */
const singleFields = ["authorization", "host"];

/** Requires `Host` (RFC 9112, section 3.2); `requireHostHeader` would send an empty body. */
export async function headerFieldsHook({ raw, headers }: FastifyRequest): Promise<void> {
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
