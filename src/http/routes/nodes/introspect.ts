import type { Caller } from "../../../accounts/authenticate.ts";
import { type IntrospectAnswer, introspectBody } from "../../../remote/protocol/messages.ts";
import type { HttpContext } from "../../context.ts";
import type { TypedApp } from "../typed-app.ts";
import { signedRoute } from "./signed-route.ts";

type Context = Pick<HttpContext, "nodes" | "accounts" | "clock" | "settings">;

/** POST /internal/nodes/introspect: permissions of a key that a client presented to a node. */
export function addIntrospectRoute(app: TypedApp, context: Context): void {
  const { accounts, clock, settings } = context;
  app.route({
    ...signedRoute(context),
    url: "/internal/nodes/introspect",
    schema: { body: introspectBody },
    handler: async (request, reply) => {
      const { key_id: id, secret_sha256: secret } = request.body;
      const found = await accounts.read("introspectKey", {
        id,
        secretHash: Buffer.from(secret, "base64url"),
        nowMs: clock.now(),
        ...settings.limits,
      });
      return reply.header("cache-control", "no-store").send(answerOf(found, settings.limits));
    },
  });
}

/** The lower limit of key and account, because a node counts alone. */
function answerOf(
  found: Caller | "suspended" | null,
  limits: { requestsPerSecond: number; submissionsPerMinute: number },
): IntrospectAnswer {
  if (found === null) return { status: "unknown" };
  if (found === "suspended") return { status: "suspended" };
  const { accountRequestsPerSecond: requests, accountSubmissionsPerMinute: submissions } = found;
  return {
    status: "active",
    rates_key: found.ratesKeyId,
    requests_per_second: least(found.requestsPerSecond ?? limits.requestsPerSecond, requests),
    submissions_per_minute: least(
      found.submissionsPerMinute ?? limits.submissionsPerMinute,
      submissions,
    ),
    methods: found.methods === null ? null : [...found.methods],
  };
}

const least = (own: number, shared: number | null | undefined): number =>
  Math.min(own, shared ?? own);
