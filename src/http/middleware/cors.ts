import type { FastifyReply, FastifyRequest } from "fastify";
import { answerHeaders } from "../openapi/headers.ts";

/** Paths that use no cookie. */
const openPaths = /^\/(?:(?:api\/)?v1\/|mcp$|oauth\/|\.well-known\/oauth-)/;

const maxAgeSeconds = 600;

const exposed = Object.keys(answerHeaders).join(", ");

export type CorsRoute = { methods: string; headers: readonly string[] };

/** Credentials are never allowed, so browsers withhold answers to requests with a cookie. */
export function corsHook(origins: readonly string[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isOpen(request)) return;
    setOrigin(origins, request, reply);
    if (reply.hasHeader("access-control-allow-origin")) {
      reply.header("access-control-expose-headers", exposed);
    }
  };
}

export function setPreflight(
  origins: readonly string[],
  { methods, headers }: CorsRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const isPreflight = request.headers["access-control-request-method"] !== undefined;
  if (!isPreflight || !isOpen(request) || !isAllowed(origins, request.headers.origin)) return;
  reply.header("access-control-allow-methods", methods);
  reply.header("access-control-allow-headers", headers.join(", "));
  reply.header("access-control-max-age", String(maxAgeSeconds));
}

const isOpen = ({ routeOptions, knownPath }: FastifyRequest): boolean =>
  openPaths.test(routeOptions.url ?? knownPath ?? "");

function setOrigin(
  origins: readonly string[],
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
): void {
  if (origins.length === 0) return;
  if (origins.includes("*")) return void reply.header("access-control-allow-origin", "*");
  const vary = reply.getHeader("vary");
  reply.header("vary", vary === undefined ? "Origin" : `${vary}, Origin`);
  if (origin !== undefined && isAllowed(origins, origin)) {
    reply.header("access-control-allow-origin", origin);
  }
}

const isAllowed = (origins: readonly string[], origin: string | undefined): boolean =>
  origin !== undefined && (origins.includes("*") || origins.includes(origin));
