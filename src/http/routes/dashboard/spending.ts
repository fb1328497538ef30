import { utcMonth } from "../../../upstream/requests/spending.ts";
import type { Amounts } from "../../../upstream/requests/spending-rows.ts";
import type { HttpContext } from "../../context.ts";
import type { AccountSpending, SpendingResponse } from "../../dashboard/contract/account.ts";
import { requireSession } from "../../middleware/session.ts";
import type { TypedApp } from "../typed-app.ts";

export function addSpendingRoute(
  app: TypedApp,
  { accounts, clock, settings }: Pick<HttpContext, "accounts" | "clock" | "settings">,
): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/spending",
    config: { access: "session" },
    schema: { hide: true },
    handler: async (request): Promise<SpendingResponse> => {
      const { accountId } = requireSession(request);
      const month = utcMonth(clock.now());
      const spending = await accounts.read("monthSpending", { accountId, platform: "x", month });
      const { own, shared, deploymentPostReads: reads } = spending;
      return {
        month,
        own: own && makeSpending(own),
        shared: shared && makeSpending(shared),
        deployment:
          reads === null
            ? null
            : { post_reads: reads, most_post_reads: settings.xMonthlyPostReads },
      };
    },
  });
}

const makeSpending = ({ postReads, userReads, microUsd }: Amounts): AccountSpending => ({
  post_reads: postReads,
  user_reads: userReads,
  usd: microUsd / 1_000_000,
});
