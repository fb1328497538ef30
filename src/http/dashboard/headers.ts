import type { FastifyReply, FastifyRequest } from "fastify";

const guarded = ["/dashboard", "/auth"];
const typed = [...guarded, "/v1", "/api/v1"];
const uncached = ["/dashboard/api", "/auth", "/oauth", "/v1", "/api/v1"];

/** Answers to a key or a session must not be cached. */
export const uncachedControl = "private, no-store";

/**
 * Sets headers of all answers; public ones override the cache header. The API needs `nosniff` too:
 * browsers can call it with a cookie.
 */
export function setDashboardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  // A path has several spellings, and a catch-all route matches less precisely.
  const paths = [request.routeOptions.url ?? request.url, request.url];
  const isBelowAny = (heads: readonly string[]) => paths.some((path) => isBelow(path, heads));
  if (isBelowAny(typed)) reply.header("x-content-type-options", "nosniff");
  if (isBelowAny(guarded)) reply.header("referrer-policy", "no-referrer");
  if (isBelowAny(uncached)) reply.header("cache-control", uncachedControl);
}

function isBelow(path: string, heads: readonly string[]): boolean {
  return heads.some((head) => path.startsWith(head) && /^(?:[/?]|$)/.test(path.slice(head.length)));
}
