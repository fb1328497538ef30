import type { FastifyReply, FastifyRequest } from "fastify";

const guarded = ["/dashboard", "/auth"];
const typed = [...guarded, "/v1", "/api/v1"];
const uncached = ["/dashboard/api", "/auth", "/v1", "/api/v1"];

/** What is answered to a key or a session is for that caller alone. */
export const uncachedControl = "private, no-store";

/**
 * What every answer of the dashboard says, refusals too: it is what its type says and nothing else, and where it was asked from
 * is told to nobody. What its interface and the API answer, errors too, no cache stores; the few answers that are the same for
 * everyone say so themselves. Answers of the API are what their type says, too: a browser asks for them with a cookie.
 */
export function setDashboardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  // A path may be written in more than one way; the route's own is one. A route for all that is left says less than the path.
  const paths = [request.routeOptions.url ?? request.url, request.url];
  const lies = (heads: readonly string[]) => paths.some((path) => liesBelow(path, heads));
  if (lies(typed)) reply.header("x-content-type-options", "nosniff");
  if (lies(guarded)) reply.header("referrer-policy", "no-referrer");
  if (lies(uncached)) reply.header("cache-control", uncachedControl);
}

function liesBelow(path: string, heads: readonly string[]): boolean {
  return heads.some((head) => path.startsWith(head) && /^(?:[/?]|$)/.test(path.slice(head.length)));
}
