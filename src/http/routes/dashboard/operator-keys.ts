import { keyState } from "../../../accounts/keys/key.ts";
import type { HttpContext } from "../../context.ts";
import { readAccountCursor, writeAccountCursor } from "../../dashboard/account-responses.ts";
import type { AllKeysResponse } from "../../dashboard/contract/operator.ts";
import { allKeysQuery } from "../../schemas/dashboard.ts";
import { iso, isoOrNull } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

const keysPerPage = 50;

export function addOperatorKeysRoute(app: TypedApp, { accounts, clock }: HttpContext): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/operator/keys",
    config: { access: "operator" },
    schema: { hide: true, querystring: allKeysQuery },
    handler: async (request): Promise<AllKeysResponse> => {
      const { query, account = null, after } = request.query;
      const page = await accounts.read("findKeys", {
        query: query?.trim() || null,
        accountId: account,
        after: after === undefined ? null : readAccountCursor(after),
        limit: keysPerPage + 1,
      });
      const nowMs = clock.now();
      const last = page.length > keysPerPage ? page[keysPerPage - 1] : undefined;
      return {
        keys: page.slice(0, keysPerPage).map((key) => ({
          id: key.id,
          name: key.name,
          shown: `ear_${key.id}_…`,
          state: keyState(key, nowMs),
          created_at: iso(key.createdMs),
          expires_at: isoOrNull(key.expiresMs),
          used_at: isoOrNull(key.usedMs),
          used_from: key.usedFrom,
          account: { id: key.accountId, name: key.accountName },
        })),
        next: last === undefined ? null : writeAccountCursor(last),
      };
    },
  });
}
