import type { FastifyReply, FastifyRequest } from "fastify";
import { EarshotError, type ErrorDetail } from "../../lib/errors.ts";
import { isProblemCode, type ProblemCode, problems, problemType } from "./problems.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The job that this request has submitted; empty until then. */
    jobUuid: string;
  }
}

/** RFC 9457, with `error` (the detail once more) that every answer of the search API holds. */
type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  retryable: boolean;
  request_id: string;
  hint?: string;
  errors?: readonly ErrorDetail[];
  /** In answers to submissions only: empty where it was refused, the job's where that failed. */
  uuid?: string;
  error: string;
};

/** A problem of the registry; its status is the registry's, and so is `retryable` unless it is told. */
export function problem(
  code: ProblemCode,
  message: string,
  options: { hint?: string; details?: readonly ErrorDetail[]; retryable?: boolean } = {},
): EarshotError {
  const { status, retryable } = problems[code];
  return new EarshotError(code, message, { status, retryable, ...options });
}

/** Writes a fault as a problem: whatever is thrown anywhere in a request ends here. */
export function writeProblem(fault: EarshotError, request: FastifyRequest, reply: FastifyReply) {
  return reply.send(problemText(fault, request, reply));
}

/** Whether a request authenticates by the scheme of API keys, with whatever token. */
export const bringsToken = (authorization: string | undefined): boolean =>
  /^bearer +\S/i.test(authorization ?? "");

/** The body of a problem; sets the status and the fields that belong to it. */
export function problemText(
  fault: EarshotError,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const body = problemOf(fault, request);
  if (body.code === "unauthorized") {
    // RFC 6750, section 3.1: a request without a token gets no error code.
    const error = bringsToken(request.headers.authorization) ? ', error="invalid_token"' : "";
    reply.header("www-authenticate", `Bearer realm="earshot"${error}`);
  }
  if (body.code === "session_needed" || body.code === "sign_in_link_invalid") {
    reply.header("www-authenticate", 'Cookie realm="earshot"');
  }
  if (body.code === "node_unauthorized") {
    reply.header("www-authenticate", 'Signature realm="earshot"');
  }
  if (!reply.hasHeader("retry-after")) {
    if (body.status === 503) reply.header("retry-after", "1");
    // What is counted is counted by the minute.
    if (body.status === 429) reply.header("retry-after", "60");
  }
  reply.code(body.status).type("application/problem+json; charset=utf-8");
  return JSON.stringify(body);
}

/** Whether another try can help lies in what went wrong at the platform. */
const isToldByFault = (code: ProblemCode): boolean => code === "upstream_failed";

/** To send the same again helps only where the platform may answer otherwise. */
const usualHintOf = (code: ProblemCode, isRetryable: boolean): string | undefined =>
  isToldByFault(code) && !isRetryable ? undefined : problems[code].hint;

function problemOf(fault: EarshotError, request: FastifyRequest): Problem {
  const code = publicCode(fault);
  const known = problems[code];
  // What went wrong inside is for the log, never for the caller.
  const detail =
    code === "internal" ? "an unexpected fault; the log has it" : shortened(fault.message);
  const isRetryable = isToldByFault(code) ? fault.retryable : known.retryable;
  const hint = (code === "internal" ? undefined : fault.hint) ?? usualHintOf(code, isRetryable);
  return {
    type: problemType(code),
    title: known.title,
    status: known.status,
    detail,
    code,
    retryable: isRetryable,
    request_id: request.id,
    ...(hint === undefined ? {} : { hint: shortened(hint) }),
    ...(fault.details.length === 0 ? {} : { errors: fault.details.slice(0, mostDetails) }),
    ...(request.routeOptions.config.refusalHoldsUuid ? { uuid: request.jobUuid } : {}),
    error: detail,
  };
}

/** An answer names so many faults; a request with more of them is broken as a whole. */
export const mostDetails = 64;
/** No line of an answer is longer, whatever a request brought that it repeats. */
const longestLine = 2_000;

function shortened(line: string): string {
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1).toWellFormed()}…`;
}

/**
 * Codes of the rooms below that are no concern of a caller become the general one of their status, and so do those of a
 * refusal that passes by itself: a node that could not be looked at for the moment is not refused.
 */
export function publicCode(fault: EarshotError): ProblemCode {
  if (isProblemCode(fault.code) && !(fault.status === 503 && isFinal(fault.code)))
    return fault.code;
  if (fault.status === 503) return "unavailable";
  if (fault.status === 504) return "deadline_exceeded";
  if (fault.status === 502) return "upstream_failed";
  return "internal";
}

const isFinal = (code: ProblemCode): boolean => problems[code].status < 500;

/** Turns what fastify itself refuses into a fault of ours; null for what nobody foresaw. */
export function frameworkErrorOf(error: {
  code?: string;
  statusCode?: number;
  message: string;
}): EarshotError | null {
  switch (error.code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return problem("unsupported_media_type", "the body must be application/json", {
        hint: "send the header Content-Type: application/json",
      });
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return problem("body_too_large", "the body is larger than this server takes", {
        hint: "EARSHOT_MAX_BODY_BYTES sets the limit",
      });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return problem("invalid_request", "the body is not as long as Content-Length says");
    default:
      break;
  }
  if (error.statusCode === 400) {
    return problem("invalid_request", `the request cannot be read: ${oneLine(error.message)}`);
  }
  return null;
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, " ").slice(0, 200);
}
