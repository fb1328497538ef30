import type { FastifyReply, FastifyRequest } from "fastify";
import { isProviderName, type ProviderName } from "../../../accounts/sign-in/provider.ts";
import { type RefusalCode, SignInRefused } from "../../../accounts/sign-in/refusal.ts";
import type { HttpContext } from "../../context.ts";
import { readClientInfo } from "../../dashboard/client-info.ts";
import { baseUrl, requireNavigation } from "../../dashboard/request-origin.ts";
import type { SignInLimit } from "../../dashboard/sign-in-limit.ts";
import { acceptsHtml } from "../../docs-site/accepts-html.ts";
import { problem } from "../../problems/write-problem.ts";
import { providerPath } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

/** Refusals redirect to the sign-in page, which explains them. */
export function addAuthRoutes(app: TypedApp, context: HttpContext, slots: SignInLimit): void {
  const { dashboard, log, metrics, settings } = context;
  const { cookies, sessions, signIn, signInLimits } = dashboard;

  const redirectUri = (request: FastifyRequest, provider: ProviderName): string =>
    `${baseUrl(request, settings.publicUrl)}/auth/${provider}/callback`;

  app.route({
    method: "GET",
    url: "/auth/:provider",
    schema: { hide: true, params: providerPath },
    handler: async (request, reply) => {
      const provider = requireProvider(request.params.provider);
      requireNavigation(request);
      if (!takeSlot(request, reply)) return reply.redirect(refusalPath("too_many"), 303);
      const attempt = await signIn.begin(provider, {
        redirectUri: redirectUri(request, provider),
        returnTo: rawQueryParams(request).get("return"),
      });
      if (attempt === null) throw noProvider();
      cookies.setSignIn(reply, attempt.attempt, signInLimits.attemptMs);
      return reply.redirect(attempt.location, 303);
    },
  });

  app.route({
    method: "GET",
    url: "/auth/:provider/callback",
    schema: { hide: true, params: providerPath },
    handler: async (request, reply) => {
      const provider = requireProvider(request.params.provider);
      requireNavigation(request);
      if (!takeSlot(request, reply)) return reply.redirect(refusalPath("too_many"), 303);
      try {
        const completedSignIn = await signIn.finish(provider, {
          attempt: cookies.signIn(request),
          redirectUri: redirectUri(request, provider),
          parameters: rawQueryParams(request),
          client: readClientInfo(request, cookies),
        });
        cookies.clearSignIn(reply);
        cookies.setSession(reply, completedSignIn.session.token, sessions.maxAgeMs);
        metrics.signIns.inc({ outcome: "signed_in" });
        return reply.redirect(completedSignIn.returnTo, 303);
      } catch (error) {
        if (!(error instanceof SignInRefused)) throw error;
        const { code, reason } = error;
        metrics.signIns.inc({ outcome: code });
        log.info({ request_id: request.id, provider, word: code, reason }, "sign-in refused");
        return reply.redirect(refusalPath(code), 303);
      }
    },
  });

  /** Throws the error unless the client is a browser. */
  function takeSlot(request: FastifyRequest, reply: FastifyReply): boolean {
    try {
      slots.take(request, reply);
      return true;
    } catch (error) {
      if (!acceptsHtml(request.headers.accept)) throw error;
      return false;
    }
  }

  function requireProvider(name: string): ProviderName {
    if (!isProviderName(name)) throw noProvider();
    if (!signIn.providers.some((provider) => provider.name === name)) throw noProvider();
    return name;
  }
}

const refusalPath = (code: RefusalCode): string => `/dashboard/sign-in?error=${code}`;

/** Not parsed by Fastify, so that sign-in can reject duplicate parameters. */
function rawQueryParams(request: FastifyRequest): URLSearchParams {
  const { url } = request;
  const index = url.indexOf("?");
  return new URLSearchParams(index < 0 ? "" : url.slice(index + 1));
}

function noProvider() {
  return problem("not_found", "this sign-in provider is not enabled", {
    hint: "use a provider that /dashboard/sign-in shows",
  });
}
