import * as z from "zod";
import { accountCursor, listSearchText } from "./accounts.ts";
import { range } from "./dashboard-usage.ts";
import { closedQuery, errorWithHint } from "./words.ts";

const accountText = errorWithHint("expected the id of an account", "send one id");

export const accountId = z.string(accountText).min(1, accountText).max(64, accountText);

export const allKeysQuery = closedQuery(
  "the parameters are query, account and after, such as ?query=laptop",
  {
    query: listSearchText.optional(),
    account: accountId.optional(),
    after: accountCursor.optional(),
  },
);

export const allUsageQuery = closedQuery(
  "the parameters are range, account and after, such as ?range=7d",
  { range, account: accountId.optional(), after: accountCursor.optional() },
);

const afterText = errorWithHint(
  "after does not belong to this list",
  "send next exactly as it was received",
);

export const allJobsQuery = closedQuery(
  "the parameters are account and after, such as ?account=<id>",
  {
    account: accountId.optional(),
    after: z
      .string(afterText)
      .regex(/^[0-9A-Za-z_-]{1,64}$/, afterText)
      .optional(),
  },
);
