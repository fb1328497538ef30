import { keyStateOf } from "../../../accounts/keys/key.ts";
import type { HttpContext } from "../../context.ts";
import type { AllKeysAnswer } from "../../dashboard/contract.ts";
import { allKeysQuery } from "../../schemas/accounts.ts";
import { iso, isoOrNull } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

const mostKeys = 100;

/** GET /dashboard/api/operator/keys */
export function addOperatorKeysRoute(app: TypedApp, { accounts, clock }: HttpContext): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/operator/keys",
    config: { pace: "operator" },
    schema: { hide: true, querystring: allKeysQuery },
    handler: async (request): Promise<AllKeysAnswer> => {
      const query = request.query.query?.trim() || null;
      const found = await accounts.read("findKeys", { query, limit: mostKeys + 1 });
      const nowMs = clock.now();
      return {
        keys: found.slice(0, mostKeys).map((key) => ({
          id: key.id,
          name: key.name,
          shown: `ear_${key.id}_…`,
          state: keyStateOf(key, nowMs),
          created_at: iso(key.createdMs),
          expires_at: isoOrNull(key.expiresMs),
          used_at: isoOrNull(key.usedMs),
          used_from: key.usedFrom,
          account: { id: key.accountId, name: key.accountName },
        })),
        is_cut: found.length > mostKeys,
      };
    },
  });
}
