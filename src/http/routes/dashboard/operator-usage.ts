import type { AccountPosition } from "../../../accounts/admin/listing-operations.ts";
import type { UsageCounts } from "../../../accounts/usage/operations.ts";
import type { HttpContext } from "../../context.ts";
import { readAccountCursor, writeAccountCursor } from "../../dashboard/account-responses.ts";
import type { AccountReference, AllUsageResponse } from "../../dashboard/contract/operator.ts";
import type { UsageRange } from "../../dashboard/contract/usage.ts";
import { listAccounts } from "../../dashboard/list-accounts.ts";
import { ranges } from "../../dashboard/ranges.ts";
import { allUsageQuery } from "../../schemas/dashboard.ts";
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

/** Accounts per page; a busy account has a thousand rows per day. */
const accountsPerPage = 20;
const dayMs = 86_400_000;

async function allUsage(
  context: Pick<HttpContext, "accounts" | "clock">,
  request: { range: UsageRange; accountId: string | null; after: AccountPosition | null },
): Promise<AllUsageResponse> {
  const { range, accountId, after } = request;
  if (accountId !== null) {
    const references = await context.accounts.read("accountNames", { ids: [accountId] });
    return { accounts: await fetchUsage(context, references, range), next: null };
  }
  const page = await listAccounts(context, { query: null, after, limit: accountsPerPage });
  return {
    accounts: await fetchUsage(context, page.accounts, range),
    next: page.next === null ? null : writeAccountCursor(page.next),
  };
}

/** Reads one day at a time, so that other requests can run in between. */
async function fetchUsage(
  { accounts, clock }: Pick<HttpContext, "accounts" | "clock">,
  references: readonly AccountReference[],
  range: UsageRange,
): Promise<AllUsageResponse["accounts"]> {
  const endMs = clock.now() + 1;
  const accountIds = references.map(({ id }) => id);
  const totals = new Map<string, UsageCounts>();
  for (let fromMs = endMs - ranges[range].spanMs; fromMs < endMs; fromMs += dayMs) {
    const toMs = Math.min(fromMs + dayMs, endMs);
    const days = await accounts.read("usageOfAccounts", { accountIds, fromMs, toMs });
    for (const day of days)
      totals.set(day.accountId, addUsage(totals.get(day.accountId) ?? noUsage, day));
  }
  return references.map(({ id, name }) => {
    const { searchesFailed, ...counts } = totals.get(id) ?? noUsage;
    return { account: { id, name }, ...counts, searches_failed: searchesFailed };
  });
}

const noUsage: UsageCounts = {
  requests: 0,
  refused: 0,
  failed: 0,
  searches: 0,
  searchesFailed: 0,
  posts: 0,
};

function addUsage(a: UsageCounts, b: UsageCounts): UsageCounts {
  return {
    requests: a.requests + b.requests,
    refused: a.refused + b.refused,
    failed: a.failed + b.failed,
    searches: a.searches + b.searches,
    searchesFailed: a.searchesFailed + b.searchesFailed,
    posts: a.posts + b.posts,
  };
}
