import { METHODS } from "node:http";
import type { FastifyInstance } from "fastify";
import { problem } from "../problem-writer.ts";
import { platformWordHook } from "./platform-word.ts";

/** A CONNECT names no path and never comes here. */
const answered = METHODS.filter((method) => method !== "CONNECT");

/**
 * Remembers which methods each path has. The function it returns is called when all routes are known and gives each path a
 * 405 with `Allow` for the methods that it lacks.
 */
export function watchMethods(app: FastifyInstance): (owner: FastifyInstance) => void {
  for (const method of answered) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const one of Array.isArray(method) ? method : [method]) methods.add(one);
    methodsByUrl.set(url, methods);
  });

  return (owner) => {
    for (const [url, present] of [...methodsByUrl]) {
      const allow = [...present].sort().join(", ");
      owner.route({
        method: answered.filter((method) => !present.has(method)),
        url,
        exposeHeadRoute: false,
        onRequest: async (request, reply) => {
          await platformWordHook(request);
          reply.header("allow", allow);
          throw problem("method_not_allowed", `${request.method} is not for this path`, {
            hint: `it answers ${allow}`,
          });
        },
        handler: async () => null,
      });
    }
  };
}
