import type { HttpContext } from "../../context.ts";
import { readAccountCursor } from "../../dashboard/account-answers.ts";
import { allUsage } from "../../dashboard/all-usage.ts";
import type { AllUsageResponse } from "../../dashboard/contract/operator.ts";
import { allUsageQuery } from "../../schemas/activity.ts";
import type { TypedApp } from "../typed-app.ts";

export function addOperatorUsageRoute(app: TypedApp, context: HttpContext): void {
  app.route({
    method: "GET",
    url: "/dashboard/api/operator/usage",
    config: { access: "operator" },
    schema: { hide: true, querystring: allUsageQuery },
    handler: async (request): Promise<AllUsageResponse> => {
      const { range, account = null, after } = request.query;
      await context.usage.flush();
      return await allUsage(context, {
        range,
        accountId: account,
        after: after === undefined ? null : readAccountCursor(after),
      });
    },
  });
}
