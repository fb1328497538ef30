import * as z from "zod";
import { methodNames } from "../../platforms/methods.ts";
import { rangeNames } from "../dashboard/ranges.ts";
import { accountCursor, listSearchText } from "./accounts.ts";
import { closedQuery, errorWithHint } from "./words.ts";

const accountIdError = errorWithHint("expected the id of an account", "send one id");

export const accountId = z.string(accountIdError).min(1, accountIdError).max(64, accountIdError);

export const allKeysQuery = closedQuery(
  "the parameters are query, account and after, such as ?query=laptop",
  {
    query: listSearchText.optional(),
    account: accountId.optional(),
    after: accountCursor.optional(),
  },
);

const range = z
  .enum(rangeNames, errorWithHint("unknown range", `use ${rangeNames.join(", ")}`))
  .default("24h");

export const allUsageQuery = closedQuery(
  "the parameters are range, account and after, such as ?range=7d",
  { range, account: accountId.optional(), after: accountCursor.optional() },
);

const afterError = errorWithHint(
  "after does not belong to this list",
  "send next exactly as it was received",
);

export const allJobsQuery = closedQuery(
  "the parameters are account and after, such as ?account=<id>",
  {
    account: accountId.optional(),
    after: z
      .string(afterError)
      .regex(/^[0-9A-Za-z_-]{1,64}$/, afterError)
      .optional(),
  },
);

const keyIdError = errorWithHint("expected the id of a key", "use an id from keys in the response");
const keyId = z.string(keyIdError).max(64, keyIdError);

export const usageQuery = closedQuery("use range and key, such as ?range=7d", {
  range,
  key: keyId.optional(),
});

export const serviceStatusQuery = closedQuery("use only range, such as ?range=7d", { range });

export const appPath = z.object({ id: z.string().max(64) });

export const authorizationQuery = z.strictObject({
  query: z.string().max(16_384),
});

export const authorizationDecision = z.strictObject({
  ticket: z.string().max(16_384),
  methods: z.array(z.enum(methodNames as [string, ...string[]])).max(methodNames.length),
});

export const linkSignIn = z.strictObject({
  token: z.string().regex(/^[0-9A-Za-z_-]{43}$/, "expected the part of the link after #token="),
});

export const sessionPath = z.object({ id: z.string().max(64) });

export const providerPath = z.object({ provider: z.string().max(64) });
