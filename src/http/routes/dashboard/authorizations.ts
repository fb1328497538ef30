import type { FastifyRequest } from "fastify";
import {
  readAuthorizationRequest,
  readRequestHead,
  requireRegistered,
  responseLocation,
} from "../../../accounts/grants/authorization-request.ts";
import {
  decryptConsent,
  encryptConsent,
  grantedMethods,
} from "../../../accounts/grants/consent.ts";
import { isLoopback } from "../../../accounts/grants/redirect-uri.ts";
import type { HttpContext } from "../../context.ts";
import type { AuthorizationResponse, DecisionResponse } from "../../dashboard/contract/connect.ts";
import { baseUrl } from "../../dashboard/request-origin.ts";
import type { SignInLimit } from "../../dashboard/sign-in-limit.ts";
import { requireSession } from "../../middleware/session.ts";
import { mcpResource } from "../../oauth/resource.ts";
import { problem } from "../../problems/write-problem.ts";
import { authorizationDecision, authorizationQuery } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

const hiddenSchema = { hide: true };
const config = { access: "session" as const };
const path = "/dashboard/api/authorizations";

/** Never redirects, because anyone can publish a client document: the user decides, even about returning to the app. */
export function addAuthorizationRoutes(
  app: TypedApp,
  context: Pick<HttpContext, "accounts" | "clock" | "dashboard" | "settings">,
  slots: SignInLimit,
): void {
  const { accounts, clock, dashboard, settings } = context;
  const { encryptor, fetchClientDocument, limits } = dashboard.apps;
  const makeOwner = (request: FastifyRequest) => {
    const { accountId, id: sessionId } = requireSession(request);
    return { accountId, sessionId };
  };

  app.route({
    method: "POST",
    url: path,
    config,
    schema: { ...hiddenSchema, body: authorizationQuery },
    handler: async (request, reply): Promise<AuthorizationResponse> => {
      // Each request fetches a document from an address that it names.
      slots.take(request, reply);
      const head = readRequestHead(request.body.query);
      const client = await fetchClientDocument(head.clientId);
      requireRegistered(client.redirectUris, head.redirectUri);
      const redirectUrl = new URL(head.redirectUri);
      const display = {
        client_name: client.name,
        client_host: new URL(client.clientId).host,
        redirect_host: redirectUrl.host,
        is_loopback: isLoopback(redirectUrl),
      };
      const issuer = baseUrl(request, settings.publicUrl);
      const authorizationRequest = readAuthorizationRequest(
        head,
        mcpResource(request, settings.publicUrl),
      );
      if ("error" in authorizationRequest) {
        const location = responseLocation(head, issuer, authorizationRequest);
        return { ...display, kind: "refused", reason: authorizationRequest.description, location };
      }
      const consent = {
        ...authorizationRequest,
        clientId: client.clientId,
        clientName: client.name,
        redirectUri: head.redirectUri,
        state: head.state,
        expiresMs: clock.now() + limits.consentMs,
      };
      const ticket = encryptConsent(encryptor, consent, makeOwner(request));
      return { ...display, kind: "consent", ticket, methods: authorizationRequest.methods };
    },
  });

  app.route({
    method: "POST",
    url: `${path}/decision`,
    config,
    schema: { ...hiddenSchema, body: authorizationDecision },
    handler: async (request): Promise<DecisionResponse> => {
      const nowMs = clock.now();
      const owner = makeOwner(request);
      const { ticket, methods: chosenMethods } = request.body;
      const consent = decryptConsent(encryptor, ticket, { ...owner, nowMs });
      if (consent === null) throw consentExpired();
      const issuer = baseUrl(request, settings.publicUrl);
      const methods = grantedMethods(consent, chosenMethods);
      if (methods.length === 0) {
        const description = "the user denied the connection";
        const accessDenied = { error: "access_denied", description };
        return { location: responseLocation(consent, issuer, accessDenied) };
      }
      const code = await accounts.write("createGrant", {
        ...consent,
        accountId: owner.accountId,
        methods,
        codeMs: limits.codeMs,
        nowMs,
      });
      return { location: responseLocation(consent, issuer, { code }) };
    },
  });
}

function consentExpired() {
  return problem("invalid_authorization_request", "the page was open for too long", {
    hint: "start again in the app",
  });
}
