import type { FastifyReply, FastifyRequest } from "fastify";

const noReferrerPaths = ["/dashboard", "/auth"];
const noSniffPaths = [...noReferrerPaths, "/v1", "/api/v1"];
const noStorePaths = ["/dashboard/api", "/auth", "/oauth", "/v1", "/api/v1"];

/** For answers to authenticated requests. */
export const noStoreCacheControl = "private, no-store";

/** Public answers override `Cache-Control`. The API needs `nosniff` too: browsers can call it with a cookie. */
export function setDashboardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  // Templates cover encoded spellings of a path; the URL covers catch-all routes.
  const paths = [request.routeOptions.url ?? request.url, request.url];
  const isBelowAny = (prefixes: readonly string[]) => paths.some((path) => isBelow(path, prefixes));
  if (isBelowAny(noSniffPaths)) reply.header("x-content-type-options", "nosniff");
  if (isBelowAny(noReferrerPaths)) reply.header("referrer-policy", "no-referrer");
  if (isBelowAny(noStorePaths)) reply.header("cache-control", noStoreCacheControl);
}

function isBelow(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some(
    (prefix) => path.startsWith(prefix) && /^(?:[/?]|$)/.test(path.slice(prefix.length)),
  );
}

const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** Revalidated, because pages name the files of their version. */
export const pageHeaders = {
  "cache-control": "no-cache",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;
