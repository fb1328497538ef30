import { hash } from "node:crypto";
import type { FastifyInstance, FastifyReply } from "fastify";
import { authorizationCode, refreshToken } from "../../../accounts/grants/grant-tokens.ts";
import type { IssuedTokens, TokenRefusal } from "../../../accounts/grants/token-operations.ts";
import type { HttpContext } from "../../context.ts";
import {
  formRoute,
  readFormBodies,
  readParameters,
  type TokenParameters,
} from "../../oauth/form-body.ts";

type TokenContext = Pick<HttpContext, "accounts" | "clock" | "dashboard" | "metrics">;

/** Errors have the form of RFC 6749, section 5.2. */
export function addTokenRoute(app: FastifyInstance, context: TokenContext): void {
  const { metrics } = context;
  app.register(async (scope) => {
    readFormBodies(scope);
    scope.route({
      method: "POST",
      url: "/oauth/token",
      ...formRoute,
      schema: { hide: true },
      handler: async (request, reply) => {
        const parameters = readParameters(request.body);
        if (parameters === null) return refuse(reply, "invalid_request", notFormMessage);
        const outcome = await issueTokens(context, parameters);
        if (outcome.kind === "issued") {
          metrics.tokenRequests.inc({ outcome: "issued" });
          return {
            access_token: outcome.accessToken,
            token_type: "Bearer",
            expires_in: context.dashboard.apps.limits.accessMs / 1_000,
            refresh_token: outcome.refreshToken,
            scope: outcome.methods.join(" "),
          };
        }
        const isReuse = outcome.error === "invalid_grant" && outcome.isReuse === true;
        metrics.tokenRequests.inc({ outcome: isReuse ? "reused" : "refused" });
        return refuse(reply, outcome.error, outcome.reason);
      },
    });
  });
}

const notFormMessage = "the body must be application/x-www-form-urlencoded, without repeated names";

type Refusal = { kind: "refused"; error: string; reason: string; isReuse?: boolean };

async function issueTokens(
  { accounts, clock, dashboard }: TokenContext,
  parameters: TokenParameters,
): Promise<IssuedTokens | TokenRefusal | Refusal> {
  const clientId = parameters.get("client_id");
  if (clientId === null) return refusal("invalid_request", "client_id is required");
  const commonParams = {
    clientId,
    resource: parameters.get("resource"),
    nowMs: clock.now(),
    lifetimes: dashboard.apps.limits,
  };
  switch (parameters.get("grant_type")) {
    case "authorization_code": {
      const token = authorizationCode.parse(parameters.get("code") ?? "");
      const verifier = parameters.get("code_verifier") ?? "";
      if (!/^[\w.~-]{43,128}$/.test(verifier)) {
        return refusal("invalid_request", "code_verifier must have 43 to 128 characters");
      }
      if (token === null) return refusal("invalid_grant", "the code is malformed");
      return await accounts.write("exchangeCode", {
        ...commonParams,
        token,
        redirectUri: parameters.get("redirect_uri"),
        codeChallenge: hash("sha256", verifier, "base64url"),
      });
    }
    case "refresh_token": {
      const token = refreshToken.parse(parameters.get("refresh_token") ?? "");
      if (token === null) return refusal("invalid_grant", "the refresh token is malformed");
      return await accounts.write("refreshTokens", { ...commonParams, token });
    }
    default:
      return refusal(
        "unsupported_grant_type",
        "grant_type must be authorization_code or refresh_token",
      );
  }
}

const refusal = (error: string, reason: string): Refusal => ({ kind: "refused", error, reason });

function refuse(reply: FastifyReply, error: string, description: string) {
  return reply.code(400).send({ error, error_description: description });
}
