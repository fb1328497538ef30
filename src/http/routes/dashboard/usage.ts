import type { HttpContext } from "../../context.ts";
import { dashboardKeyId, usageResponse } from "../../dashboard/usage-response.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { usageQuery } from "../../schemas/dashboard.ts";
import type { TypedApp } from "../typed-app.ts";

export function addUsageRoute(app: TypedApp, context: HttpContext): void {
  const { accounts, clock, usage } = context;

  async function requireKey(accountId: string, keyId: string): Promise<void> {
    if (keyId === dashboardKeyId(accountId)) return;
    if (await accounts.read("ownsKey", { accountId, keyId })) return;
    throw problem("key_not_found", "key not found", {
      hint: "find its id at GET /dashboard/api/keys",
    });
  }

  app.route({
    method: "GET",
    url: "/dashboard/api/usage",
    config: { access: "session" },
    schema: { hide: true, querystring: usageQuery },
    handler: async (request, reply) => {
      const { accountId } = requireCaller(request);
      const { range, key: keyId = null } = request.query;
      if (keyId !== null) await requireKey(accountId, keyId);
      await usage.flush();
      const response = await usageResponse(accounts, { accountId, range, keyId }, clock.now());
      return reply.type("application/json; charset=utf-8").send(JSON.stringify(response));
    },
  });
}
