import type { FastifyInstance } from "fastify";
import { accessToken, refreshToken } from "../../../accounts/grants/grant-tokens.ts";
import type { HttpContext } from "../../context.ts";
import { formRoute, readFormBodies, readParameters } from "../../oauth/form-body.ts";

/** RFC 7009. Revoking any token ends its connection; unknown tokens get the same response. */
export function addRevocationRoute(
  app: FastifyInstance,
  { accounts, clock, metrics }: Pick<HttpContext, "accounts" | "clock" | "metrics">,
): void {
  app.register(async (scope) => {
    readFormBodies(scope);
    scope.route({
      method: "POST",
      url: "/oauth/revoke",
      ...formRoute,
      schema: { hide: true },
      handler: async (request, reply) => {
        const parameters = readParameters(request.body);
        const text = parameters?.get("token") ?? null;
        const clientId = parameters?.get("client_id") ?? null;
        if (text === null || clientId === null) {
          const description = "send a form with one token and one client_id";
          return reply.code(400).send({ error: "invalid_request", error_description: description });
        }
        const parsedRefreshToken = refreshToken.parse(text);
        const token = parsedRefreshToken ?? accessToken.parse(text);
        const kind = parsedRefreshToken === null ? "access" : "refresh";
        if (token !== null) {
          const params = { kind, token, clientId, nowMs: clock.now() } as const;
          const isRevoked = await accounts.write("revokeToken", params);
          if (isRevoked) metrics.tokenRequests.inc({ outcome: "revoked" });
        }
        return reply.code(200).send();
      },
    });
  });
}
