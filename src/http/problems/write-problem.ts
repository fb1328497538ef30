import type { FastifyReply, FastifyRequest } from "fastify";
import { EarshotError, type ErrorDetail } from "../../lib/errors.ts";
import { isProblemCode, type ProblemCode, problems, problemType } from "./problems.ts";

declare module "fastify" {
  interface FastifyRequest {
    jobUuid: string;
    problemCode: ProblemCode | null;
  }
}

/** A problem (RFC 9457); `error` repeats the detail, for the search API. */
type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  retryable: boolean;
  request_id: string;
  hint?: string;
  errors?: readonly ErrorDetail[];
  /** Only for submissions: that of the failed job, or empty if rejected. */
  uuid?: string;
  error: string;
};

/** `problems` defines the status and the default of `retryable`. */
export function problem(
  code: ProblemCode,
  message: string,
  options: { hint?: string; details?: readonly ErrorDetail[]; retryable?: boolean } = {},
): EarshotError {
  const { status, retryable } = problems[code];
  return new EarshotError(code, message, { status, retryable, ...options });
}

export function writeProblem(error: EarshotError, request: FastifyRequest, reply: FastifyReply) {
  return reply.send(renderProblem(error, request, reply));
}

export const hasBearerToken = (authorization: string | undefined): boolean =>
  /^bearer +\S/i.test(authorization ?? "");

/** Returns the body; sets status and headers. */
export function renderProblem(
  failure: EarshotError,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const body = errorProblem(failure, request);
  request.problemCode = body.code;
  if (body.code === "unauthorized" && !reply.hasHeader("www-authenticate")) {
    // RFC 6750, section 3.1: a request without a token gets no error code.
    const error = hasBearerToken(request.headers.authorization) ? ', error="invalid_token"' : "";
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
    // Quotas are per minute.
    if (body.status === 429) reply.header("retry-after", "60");
  }
  reply.code(body.status).type("application/problem+json; charset=utf-8");
  return JSON.stringify(body);
}

/** The upstream's error decides whether a retry can help. */
const dependsOnUpstream = (code: ProblemCode): boolean => code === "upstream_failed";

/** The default hint, to repeat the request, would be wrong if that cannot help. */
const getDefaultHint = (code: ProblemCode, isRetryable: boolean): string | undefined =>
  dependsOnUpstream(code) && !isRetryable ? undefined : problems[code].hint;

function errorProblem(error: EarshotError, request: FastifyRequest): Problem {
  const code = publicCode(error);
  const definition = problems[code];
  // Internal details go to the log, never to the caller.
  const detail = code === "internal" ? "unexpected error; see the log" : shortened(error.message);
  const isRetryable = dependsOnUpstream(code) ? error.retryable : definition.retryable;
  const hint = (code === "internal" ? undefined : error.hint) ?? getDefaultHint(code, isRetryable);
  return {
    type: problemType(code),
    title: definition.title,
    status: definition.status,
    detail,
    code,
    retryable: isRetryable,
    request_id: request.id,
    ...(hint === undefined ? {} : { hint: shortened(hint) }),
    ...(error.details.length === 0 ? {} : { errors: error.details.slice(0, maxDetails) }),
    ...(request.routeOptions.config.refusalHasUuid ? { uuid: request.jobUuid } : {}),
    error: detail,
  };
}

export const maxDetails = 64;
/** In UTF-16 code units; limits what is echoed. */
const maxLineLength = 2_000;

function shortened(line: string): string {
  return line.length <= maxLineLength
    ? line
    : `${line.slice(0, maxLineLength - 1).toWellFormed()}…`;
}

export function toProblem(error: unknown): EarshotError {
  if (error instanceof EarshotError) return error;
  const frameworkError = error instanceof Error ? getFrameworkError(error) : null;
  return frameworkError ?? problem("internal", "unexpected error");
}

/** A final code with status 503 is temporary and becomes `unavailable`. */
export function publicCode(error: EarshotError): ProblemCode {
  if (isProblemCode(error.code) && !(error.status === 503 && isFinal(error.code)))
    return error.code;
  if (error.status === 503) return "unavailable";
  if (error.status === 504) return "deadline_exceeded";
  if (error.status === 502) return "upstream_failed";
  return "internal";
}

const isFinal = (code: ProblemCode): boolean => problems[code].status < 500;

/** Null for unexpected errors. */
function getFrameworkError(error: {
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
      return problem("body_too_large", "the body exceeds the size limit", {
        hint: "send a smaller body; EARSHOT_MAX_BODY_BYTES sets the limit",
      });
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return problem("invalid_request", "the body's length differs from Content-Length");
    default:
      break;
  }
  if (error.statusCode === 400) {
    return problem("invalid_request", `invalid request: ${oneLine(error.message)}`);
  }
  return null;
}

function oneLine(message: string): string {
  return message.replaceAll(/\s+/g, " ").slice(0, 200);
}
