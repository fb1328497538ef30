import type { HttpContext } from "../../context.ts";
import type { KeyRequestsResponse } from "../../dashboard/contract/keys.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { keyPath } from "../../schemas/keys.ts";
import { iso } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

export function addKeyRequestsRoute(
  app: TypedApp,
  { accounts, usage }: Pick<HttpContext, "accounts" | "usage">,
): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/keys/:id/requests",
    config: { access: "session" },
    schema: { hide: true, params: keyPath },
    handler: async (request): Promise<KeyRequestsResponse> => {
      const key = { accountId: requireCaller(request).accountId, keyId: request.params.id };
      if (!(await accounts.read("ownsKey", key))) {
        throw problem("key_not_found", "key not found");
      }
      await usage.flush();
      const requests = await accounts.read("keyRequests", key);
      return {
        requests: requests.map(({ requestId, atMs, durationMs, ...listed }) => ({
          id: requestId,
          at: iso(atMs),
          ...listed,
          duration_ms: durationMs,
        })),
      };
    },
  });
}
