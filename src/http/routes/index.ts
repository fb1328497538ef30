import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { HttpContext } from "../context.ts";
import { createSignInLimit } from "../dashboard/sign-in-limit.ts";
import type { PendingRequests } from "../long-poll/pending-requests.ts";
import type { Submissions } from "../submission/submission.ts";
import { addAccountRoutes } from "./dashboard/account.ts";
import { addAppRoutes } from "./dashboard/apps.ts";
import { addAuthRoutes } from "./dashboard/auth.ts";
import { addAuthorizationRoutes } from "./dashboard/authorizations.ts";
import { addCredentialRoutes } from "./dashboard/credentials.ts";
import { addKeyRequestsRoute } from "./dashboard/key-requests.ts";
import { addKeyRoutes } from "./dashboard/keys.ts";
import { addOperatorRoutes } from "./dashboard/operator.ts";
import { addOperatorJobsRoute } from "./dashboard/operator-jobs.ts";
import { addOperatorKeysRoute } from "./dashboard/operator-keys.ts";
import { addOperatorNodeRoutes } from "./dashboard/operator-nodes.ts";
import { addOperatorSamplesRoute } from "./dashboard/operator-samples.ts";
import { addOperatorUsageRoute } from "./dashboard/operator-usage.ts";
import { addPageRoutes } from "./dashboard/pages.ts";
import { addServiceStatusRoute } from "./dashboard/service-status.ts";
import { addSessionRoutes } from "./dashboard/session.ts";
import { addSessionListRoutes } from "./dashboard/sessions.ts";
import { addSpendingRoute } from "./dashboard/spending.ts";
import { addUsageRoute } from "./dashboard/usage.ts";
import { addMcpRoute } from "./mcp.ts";
import { addRecentRoute } from "./node/recent.ts";
import { addOauthMetadataRoutes } from "./oauth/metadata.ts";
import { addRevocationRoute } from "./oauth/revoke.ts";
import { addTokenRoute } from "./oauth/token.ts";
import { addDocsRoutes } from "./ops/docs.ts";
import { addLivezRoute } from "./ops/livez.ts";
import { addMetricsRoute } from "./ops/metrics.ts";
import { addOpenApiRoute } from "./ops/openapi.ts";
import { addReadyzRoute } from "./ops/readyz.ts";
import { addAttestationRoutes } from "./v1/attestations.ts";
import { addCancelRoutes } from "./v1/cancel.ts";
import { addCountsRoute } from "./v1/counts.ts";
import { addEventsRoutes } from "./v1/events.ts";
import { addJobsRoutes } from "./v1/jobs.ts";
import { addNodesRoute } from "./v1/nodes.ts";
import { addProofRoutes } from "./v1/proof.ts";
import { addPublicStatusRoute } from "./v1/public-status.ts";
import { addResultRoutes } from "./v1/result.ts";
import { addSearchRoute } from "./v1/search.ts";
import { addStatusRoutes } from "./v1/status.ts";
import { addSubmitRoutes } from "./v1/submit.ts";
import { addWebhookRoutes } from "./v1/webhooks.ts";
import { addWebhookDeliveryRoutes } from "./v1/webhooks-deliveries.ts";

export function addRoutes(
  app: FastifyInstance,
  context: HttpContext,
  pendingRequests: PendingRequests,
  submissions: Submissions,
): void {
  announceDeprecations(app);
  const typedApp = app.withTypeProvider<ZodTypeProvider>();
  addSubmitRoutes(typedApp, submissions, pendingRequests);
  addStatusRoutes(typedApp, context, pendingRequests);
  addResultRoutes(typedApp, context, pendingRequests);
  addProofRoutes(typedApp, context);
  addCancelRoutes(typedApp, context);
  addJobsRoutes(typedApp, context);
  addEventsRoutes(typedApp, context, pendingRequests);
  addSearchRoute(typedApp, context, submissions, pendingRequests);
  addCountsRoute(typedApp, context);
  addRecentRoute(typedApp, context, submissions, pendingRequests);
  addMcpRoute(app, context);
  addOauthMetadataRoutes(app, context);
  addTokenRoute(app, context);
  addRevocationRoute(app, context);
  addWebhookRoutes(typedApp, context);
  addWebhookDeliveryRoutes(typedApp, context);
  addNodesRoute(typedApp, context);
  addAttestationRoutes(typedApp, context);
  addPublicStatusRoute(typedApp, context);
  addLivezRoute(typedApp);
  addReadyzRoute(typedApp, context);
  addMetricsRoute(typedApp, context);
  addOpenApiRoute(typedApp);
  addDocsRoutes(typedApp);
  // Separate limits: a page that sends browsers to a code host must not block sign-in by link.
  addSessionRoutes(typedApp, context, createSignInLimit(context));
  addSessionListRoutes(typedApp, context);
  addAuthRoutes(typedApp, context, createSignInLimit(context));
  addCredentialRoutes(typedApp, context);
  addUsageRoute(typedApp, context);
  addSpendingRoute(typedApp, context);
  addServiceStatusRoute(typedApp, context);
  addKeyRoutes(typedApp, context);
  addKeyRequestsRoute(typedApp, context);
  addAppRoutes(typedApp, context);
  addAuthorizationRoutes(typedApp, context, createSignInLimit(context));
  addAccountRoutes(typedApp, context, pendingRequests);
  addOperatorRoutes(typedApp, context);
  addOperatorNodeRoutes(typedApp, context);
  addOperatorKeysRoute(typedApp, context);
  addOperatorJobsRoute(typedApp, context);
  addOperatorUsageRoute(typedApp, context);
  addOperatorSamplesRoute(typedApp, context);
  addPageRoutes(typedApp, context);
}

/** Removal is at least six months after the announcement (CHANGELOG.md). */
export type Deprecation = {
  since: string;
  /** Earliest date of removal. */
  sunset: string;
  link: string;
};

declare module "fastify" {
  interface FastifyContextConfig {
    deprecated?: Deprecation;
  }
}

const minNoticeMonths = 6;

/** Adds RFC 9745 and RFC 8594 headers. Call before adding routes; throws if the period is too short. */
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
  earliest.setUTCMonth(earliest.getUTCMonth() + minNoticeMonths);
  // Comparisons with an invalid date are false.
  if (Date.parse(sunset) >= earliest.getTime()) return;
  throw new Error(
    `the sunset ${sunset} of ${url} is less than ${minNoticeMonths} months after its deprecation on ${since}`,
  );
}
