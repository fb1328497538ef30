import type { FastifyRequest } from "fastify";
import { isProviderName, type ProviderName } from "../../../accounts/sign-in/provider.ts";
import { SignInRefused } from "../../../accounts/sign-in/refusal.ts";
import type { HttpContext } from "../../context.ts";
import { arrivalOf } from "../../dashboard/arrival.ts";
import { baseUrl } from "../../dashboard/base-url.ts";
import type { SignInTurns } from "../../dashboard/sign-in-turns.ts";
import { problem } from "../../problem-writer.ts";
import { providerPath } from "../../schemas/sessions.ts";
import type { TypedApp } from "../typed-app.ts";

/**
 * /auth/<provider>, where a browser begins to sign in with a code host, and its callback, where it comes back. A sign-in that
 * was refused leads to the sign-in page, which has words for it.
 */
export function addAuthRoutes(app: TypedApp, context: HttpContext, turns: SignInTurns): void {
  const { dashboard, log, settings } = context;
  const { cookies, sessions, signIn, signInLimits } = dashboard;

  const redirectUri = (request: FastifyRequest, provider: ProviderName): string =>
    `${baseUrl(request, settings.publicUrl)}/auth/${provider}/callback`;

  app.route({
    method: "GET",
    url: "/auth/:provider",
    schema: { hide: true, params: providerPath },
    handler: async (request, reply) => {
      const provider = configured(request.params.provider);
      turns.take(request, reply);
      const begun = await signIn.begin(provider, {
        redirectUri: redirectUri(request, provider),
        returnTo: queryOf(request).get("return"),
      });
      if (begun === null) throw noProvider();
      cookies.setSignIn(reply, begun.secret, signInLimits.attemptMs);
      return reply.redirect(begun.location, 303);
    },
  });

  app.route({
    method: "GET",
    url: "/auth/:provider/callback",
    schema: { hide: true, params: providerPath },
    handler: async (request, reply) => {
      const provider = configured(request.params.provider);
      turns.take(request, reply);
      try {
        const entered = await signIn.finish(provider, {
          secret: cookies.signIn(request),
          redirectUri: redirectUri(request, provider),
          parameters: queryOf(request),
          arrival: arrivalOf(request, cookies),
        });
        cookies.clearSignIn(reply);
        cookies.setSession(reply, entered.session.token, sessions.maxAgeMs);
        return reply.redirect(entered.returnTo, 303);
      } catch (fault) {
        if (!(fault instanceof SignInRefused)) throw fault;
        const { word, reason } = fault;
        log.info({ request_id: request.id, provider, word, reason }, "sign-in refused");
        return reply.redirect(`/dashboard/sign-in?error=${word}`, 303);
      }
    },
  });

  function configured(name: string): ProviderName {
    if (!isProviderName(name)) throw noProvider();
    if (!signIn.providers.some((provider) => provider.name === name)) throw noProvider();
    return name;
  }
}

/** As it was written: two of one name are both there for sign-in to refuse. */
function queryOf(request: FastifyRequest): URLSearchParams {
  const { url } = request;
  const at = url.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : url.slice(at + 1));
}

function noProvider() {
  return problem("not_found", "people do not sign in with this here", {
    hint: "the sign-in page, /dashboard/sign-in, shows where they do",
  });
}
