import * as z from "zod";
import { accountCursor, searchText } from "./accounts.ts";
import { range } from "./dashboard-usage.ts";
import { closedObject, wording } from "./words.ts";

const accountText = wording("expected the id of an account", "send one id");

export const accountId = z.string(accountText).min(1, accountText).max(64, accountText);

const parameters = (hint: string) => ({
  what: "parameter",
  needed: "invalid query string",
  hint,
});

export const allKeysQuery = closedObject(
  parameters("the parameters are query, account and after, such as ?query=laptop"),
  { query: searchText.optional(), account: accountId.optional(), after: accountCursor.optional() },
);

export const allUsageQuery = closedObject(
  parameters("the parameters are range, account and after, such as ?range=7d"),
  { range, account: accountId.optional(), after: accountCursor.optional() },
);

const afterText = wording("after is not of this list", "send next exactly as it was received");

export const allJobsQuery = closedObject(
  parameters("the parameters are account and after, such as ?account=<id>"),
  {
    account: accountId.optional(),
    after: z
      .string(afterText)
      .regex(/^[0-9A-Za-z_-]{1,64}$/, afterText)
      .optional(),
  },
);
