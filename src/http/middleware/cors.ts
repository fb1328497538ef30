import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import createRouter from "find-my-way";
import * as z from "zod";
import { describedHeaders } from "../openapi/headers.ts";
import { problem } from "../problems/write-problem.ts";
import { requireKnownPlatform } from "../submission/source-types.ts";

/** Paths open to other origins. */
const openPaths = /^\/(?:(?:api\/)?v1\/|mcp$|oauth\/|\.well-known\/oauth-)/;

const maxAgeSeconds = 600;

const exposedHeaders = Object.keys(describedHeaders).join(", ");

type CorsRoute = { methods: string; headers: readonly string[] };

/** Credentials are never allowed, so browsers withhold answers to requests with a cookie. */
export function corsHook(origins: readonly string[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isOpen(request)) return;
    setOrigin(origins, request, reply);
    if (reply.hasHeader("access-control-allow-origin")) {
      reply.header("access-control-expose-headers", exposedHeaders);
    }
  };
}

function setPreflight(
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

declare module "fastify" {
  interface FastifyRequest {
    /** The route template of a path that exists for other methods only. */
    knownPath: string | null;
  }
}

type KnownPath = { url: string; methods: Set<string>; headers: Set<string> };

/** Null if the path has no route. Throws a 404 for an unknown platform. */
export type MethodFallback = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | null>;

/**
 * Answers OPTIONS with 204, other methods with 405, both with `Allow`. Covers routes added later.
 * Has its own router: a route per method would take a tenth of the start-up time.
 */
export function createMethodFallback(
  app: FastifyInstance,
  corsOrigins: readonly string[],
): MethodFallback {
  const router = createRouter();
  const paths = new Map<string, KnownPath>();
  app.decorateRequest("knownPath", null);
  app.addHook("onRoute", (route) => {
    const { url, method } = route;
    const path = paths.get(url) ?? { url, methods: new Set(), headers: new Set() };
    for (const name of Array.isArray(method) ? method : [method]) path.methods.add(name);
    for (const name of listHeaders(route)) path.headers.add(name);
    if (paths.has(url)) return;
    paths.set(url, path);
    router.on("GET", url, () => undefined, path);
  });

  return async (request, reply) => {
    const match = router.find("GET", request.url);
    const path: KnownPath | undefined = match?.store;
    if (match === null || path === undefined) return null;
    request.params = match.params;
    request.knownPath = path.url;
    requireKnownPlatform(request);
    const methods = [...path.methods].sort();
    reply.header("allow", [...methods, "OPTIONS"].sort().join(", "));
    if (request.method !== "OPTIONS") {
      throw problem("method_not_allowed", `${request.method} is not supported by this path`, {
        hint: `use ${methods.join(" or ")}`,
      });
    }
    const cors = { methods: methods.join(", "), headers: [...path.headers].sort() };
    setPreflight(corsOrigins, cors, request, reply);
    return reply.code(204).send();
  };
}

function listHeaders({ schema }: RouteOptions): readonly string[] {
  const schemaHeaders =
    schema?.headers instanceof z.ZodObject ? Object.keys(schema.headers.shape) : [];
  return [
    "authorization",
    ...(schema?.body === undefined ? [] : ["content-type"]),
    ...schemaHeaders,
  ];
}
