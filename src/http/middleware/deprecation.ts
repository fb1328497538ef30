import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";

/** A route that is to go. Nothing goes sooner than six months after it was said (CHANGELOG.md). */
export type Deprecation = {
  /** Since when it is deprecated, a date such as 2027-03-01. */
  since: string;
  /** From when on it may be gone, a date. */
  sunset: string;
  /** The address of a page that says what to use in its place. */
  link: string;
};

declare module "fastify" {
  interface FastifyContextConfig {
    deprecated?: Deprecation;
  }
}

const leastMonths = 6;

/**
 * Has every answer of a deprecated route say so: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and links to what to do. The
 * route's description says so, too. To be called before the routes are added; a route whose time is too short is refused.
 */
export function announceDeprecations(app: FastifyInstance): void {
  app.addHook("onRoute", markDeprecated);
  app.addHook("onRequest", async (request: FastifyRequest, reply: FastifyReply) => {
    const { deprecated } = request.routeOptions.config;
    if (deprecated === undefined) return;
    const { since, sunset, link } = deprecated;
    reply.header("deprecation", `@${Date.parse(since) / 1000}`);
    reply.header("sunset", new Date(sunset).toUTCString());
    reply.header("link", `<${link}>; rel="deprecation", <${link}>; rel="sunset"`);
  });
}

function markDeprecated(route: RouteOptions): void {
  const { deprecated } = route.config ?? {};
  if (deprecated === undefined) return;
  requireNotice(route.url, deprecated);
  route.schema = { ...route.schema, deprecated: true };
}

function requireNotice(url: string, { since, sunset }: Deprecation): void {
  const earliest = new Date(since);
  earliest.setUTCMonth(earliest.getUTCMonth() + leastMonths);
  // A date that cannot be read compares as false.
  if (Date.parse(sunset) >= earliest.getTime()) return;
  throw new Error(`${url} is to go on ${sunset}, sooner than ${leastMonths} months after ${since}`);
}
