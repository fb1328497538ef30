import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import createRouter from "find-my-way";
import * as z from "zod";
import { problem } from "../problems/write-problem.ts";
import { setPreflight } from "./cors.ts";
import { requireKnownPlatform } from "./platform-word.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The route template of a path that exists for other methods only. */
    knownPath: string | null;
  }
}

type KnownPath = { url: string; methods: Set<string>; headers: Set<string> };

/** Null if the path has no route. Throws the 404 of an unknown platform. */
export type OtherMethods = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply | null>;

/**
 * OPTIONS gets 204, other methods 405, both with `Allow`. Includes routes added later. Has its own router, because a route per
 * method would take a tenth of the start-up time.
 */
export function otherMethods(app: FastifyInstance, corsOrigins: readonly string[]): OtherMethods {
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
