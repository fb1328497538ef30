import type { FastifyReply, FastifyRequest } from "fastify";

const guarded = ["/dashboard", "/auth"];
const uncached = ["/dashboard/api", "/auth"];

/**
 * What every answer of the dashboard says, refusals too: it is what its type says and nothing else, and where it was asked from
 * is told to nobody. What its interface answers is kept nowhere.
 */
export function setDashboardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  // A path may be written in more than one way; the route's own is one.
  const path = request.routeOptions.url ?? request.url;
  if (!liesBelow(path, guarded)) return;
  reply.headers({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  if (liesBelow(path, uncached)) reply.header("cache-control", "no-store");
}

function liesBelow(path: string, heads: readonly string[]): boolean {
  return heads.some((head) => path.startsWith(head) && /^(?:[/?]|$)/.test(path.slice(head.length)));
}
