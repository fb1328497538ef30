import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";

/** Removal is at least six months after the announcement (CHANGELOG.md). */
export type Deprecation = {
  since: string;
  /** Earliest removal. */
  sunset: string;
  link: string;
};

declare module "fastify" {
  interface FastifyContextConfig {
    deprecated?: Deprecation;
  }
}

const minMonths = 6;

/** RFC 9745, RFC 8594. Call before adding routes; throws if the period is too short. */
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
  earliest.setUTCMonth(earliest.getUTCMonth() + minMonths);
  // Comparisons with an invalid date are false.
  if (Date.parse(sunset) >= earliest.getTime()) return;
  throw new Error(
    `the sunset ${sunset} of ${url} is less than ${minMonths} months after its deprecation on ${since}`,
  );
}
