import { monthOf } from "../../../upstream/requests/spending.ts";
import type { HttpContext } from "../../context.ts";
import type { SpendingAnswer } from "../../dashboard/contract/account.ts";
import { callerOf } from "../../middleware/caller.ts";
import type { TypedApp } from "../typed-app.ts";

/** GET /dashboard/api/spending */
export function addSpendingRoute(
  app: TypedApp,
  { accounts, clock, settings }: Pick<HttpContext, "accounts" | "clock" | "settings">,
): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/spending",
    config: { pace: "session" },
    schema: { hide: true },
    handler: async (request): Promise<SpendingAnswer> => {
      const { accountId } = callerOf(request);
      const month = monthOf(clock.now());
      const spent = await accounts.read("monthSpending", { accountId, platform: "x", month });
      const { own, sharedPostReads } = spent;
      return {
        month,
        own:
          own === null
            ? null
            : {
                post_reads: own.postReads,
                user_reads: own.userReads,
                usd: own.microUsd / 1_000_000,
              },
        shared:
          sharedPostReads === null
            ? null
            : { post_reads: sharedPostReads, most_post_reads: settings.xMonthlyPostReads },
      };
    },
  });
}
