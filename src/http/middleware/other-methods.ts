import { METHODS } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import * as z from "zod";
import { problem } from "../problems/write-problem.ts";
import { setPreflight } from "./cors.ts";
import { platformWordHook } from "./platform-word.ts";

/** CONNECT has no path and never reaches a route. */
const answered = METHODS.filter((method) => method !== "CONNECT");

type Present = { methods: Set<string>; headers: Set<string> };

/**
 * Call the returned function after all routes are added: it answers OPTIONS with 204 and `Allow`, also as a preflight, and other
 * methods with 405 and `Allow`.
 */
export function watchMethods(
  app: FastifyInstance,
  corsOrigins: readonly string[] = [],
): (owner: FastifyInstance) => void {
  for (const method of answered) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const presentByUrl = new Map<string, Present>();
  app.addHook("onRoute", (route) => {
    const { url, method } = route;
    const present = presentByUrl.get(url) ?? { methods: new Set(), headers: new Set() };
    for (const one of Array.isArray(method) ? method : [method]) present.methods.add(one);
    for (const name of headersOf(route)) present.headers.add(name);
    presentByUrl.set(url, present);
  });

  return (owner) => {
    for (const [url, { methods, headers }] of [...presentByUrl]) {
      const allow = [...methods, "OPTIONS"].sort().join(", ");
      const cors = { methods: [...methods].sort().join(", "), headers: [...headers].sort() };
      owner.route({
        method: "OPTIONS",
        url,
        onRequest: platformWordHook,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          setPreflight(corsOrigins, cors, request, reply);
          return reply.header("allow", allow).code(204).send();
        },
      });
      owner.route({
        method: answered.filter((method) => !methods.has(method) && method !== "OPTIONS"),
        url,
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          await platformWordHook(request);
          reply.header("allow", allow);
          throw problem("method_not_allowed", `${request.method} is not for this path`, {
            hint: `it answers ${cors.methods}`,
          });
        },
        handler: async () => null,
      });
    }
  };
}

/** In lower case. */
function headersOf({ schema }: RouteOptions): readonly string[] {
  const described = schema?.headers instanceof z.ZodObject ? Object.keys(schema.headers.shape) : [];
  return ["authorization", ...(schema?.body === undefined ? [] : ["content-type"]), ...described];
}
