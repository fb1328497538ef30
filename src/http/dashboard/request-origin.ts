import type { FastifyRequest } from "fastify";
import { problem } from "../problems/write-problem.ts";

const safeMethods: readonly string[] = ["GET", "HEAD"];

/** Other sites must not send requests with these methods (CSRF). */
export function hasUnsafeMethod(request: FastifyRequest): boolean {
  return !safeMethods.includes(request.method);
}

/** Errors: `forbidden_origin`. */
export function requireOwnOrigin(request: FastifyRequest, publicUrl: string | null): void {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    throw forbiddenOrigin("the request comes from another site");
  }
  if (!hasUnsafeMethod(request)) return;
  const { origin, host } = request.headers;
  if (origin === undefined) throw forbiddenOrigin("the request has no Origin header");
  if (!isOwnOrigin(origin, host, publicUrl))
    throw forbiddenOrigin("the request comes from another site");
}

/** Embedding by another site would use up the visitor's rate limit. Errors: `forbidden_origin`. */
export function requireNavigation(request: FastifyRequest): void {
  const { "sec-fetch-mode": mode = "navigate", "sec-fetch-dest": destination = "document" } =
    request.headers;
  if (mode === "navigate" && destination === "document") return;
  throw forbiddenOrigin("sign-in must be a top-level navigation");
}

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | null): boolean {
  if (publicUrl !== null) return origin === publicUrl;
  const parsedOrigin = URL.parse(origin);
  if (parsedOrigin === null || host === undefined) return false;
  // Browsers omit the default port in both headers.
  return parsedOrigin.host === host.toLowerCase() && parsedOrigin.origin === origin;
}

export function forbiddenOrigin(message: string) {
  return problem("forbidden_origin", message, {
    hint: "use the dashboard at its own URL; in programs, send an API key and no cookie",
  });
}

/** No trailing slash. */
export function baseUrl(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}
