import type { Socket } from "node:net";
import { type ProblemCode, problems } from "./problems.ts";

/** Answers what is no HTTP request, or too slow or too large a one: there is no request yet that a hook could see. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket, id: string) {
  if (socket.writable && error.code !== "ECONNRESET") {
    const code = codeOf(error.code);
    const { status, title, retryable } = problems[code];
    const detail = title.charAt(0).toLowerCase() + title.slice(1);
    const body = JSON.stringify({
      type: `/docs/errors#${code}`,
      title,
      status,
      detail,
      code,
      retryable,
      request_id: id,
      error: detail,
    });
    socket.write(
      `HTTP/1.1 ${status} ${code}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
        `X-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}

function codeOf(code: string | undefined): ProblemCode {
  if (code === "HPE_HEADER_OVERFLOW") return "header_too_large";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "request_timeout";
  return "invalid_request";
}
