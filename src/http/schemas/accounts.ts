import * as z from "zod";
import { isOneVisibleLine } from "../../accounts/keys/key.ts";
import { closedObject, closedQuery, errorWithHint, namedEnum } from "./words.ts";

const longestQuery = 100;
const longestConfirmation = 200;
const longestReason = 200;
const highestRate = 1_000_000;

const body = (kind: string, hint: string) => ({ kind, message: "expected a JSON object", hint });

const limit = (name: string) => {
  const limitText = errorWithHint(
    `expected a whole number from 1 to ${highestRate}, or null for the default`,
    `send, for example, "${name}":5`,
  );
  return z.int(limitText).min(1, limitText).max(highestRate, limitText).nullable().optional();
};

const reasonText = errorWithHint(
  `expected one line of at most ${longestReason} visible characters`,
  'send, for example, "suspended_reason":"Scrapes with a hundred keys"',
);
const suspendedText = errorWithHint(
  "expected true or false",
  'send, for example, "suspended":true',
);

export const accountChange = closedObject(
  body(
    "field",
    'send, for example, {"role":"operator"} or {"suspended":true,"suspended_reason":"…"}',
  ),
  {
    role: namedEnum("role", ["member", "operator"], 'send "role":"operator" or "role":"member"')
      .transform((word) => word as "member" | "operator")
      .optional(),
    suspended: z.boolean(suspendedText).optional(),
    suspended_reason: z
      .string(reasonText)
      .max(longestReason, reasonText)
      .transform((text) => text.trim().normalize("NFC"))
      .refine(isOneVisibleLine, reasonText)
      .optional(),
    requests_per_second: limit("requests_per_second"),
    submissions_per_minute: limit("submissions_per_minute"),
  },
);

const confirmText = errorWithHint(
  "the name of the account is required for confirmation",
  'send {"confirm":"<name of the account>"}',
);

export const accountDeletion = closedObject(
  body("field", 'send {"confirm":"<name of the account>"}'),
  { confirm: z.string(confirmText).max(longestConfirmation, confirmText) },
);

export const accountPath = z.object({ id: z.string() });
export const nodePath = z.object({ id: z.string() });

const queryText = errorWithHint(
  `expected at most ${longestQuery} characters`,
  "send one part of a name, such as ?query=ann",
);
const afterText = errorWithHint(
  "expected the value of next of an earlier page",
  "send it unchanged",
);

export const listSearchText = z.string(queryText).max(longestQuery, queryText);

/** For lists of accounts and keys. */
export const accountCursor = z.string(afterText).regex(/^\d{1,16}-[0-9A-Za-z]{1,64}$/, afterText);

export const accountsQuery = closedQuery(
  "use query and after, such as ?query=ann&after=<next of the previous page>",
  {
    query: listSearchText.optional(),
    after: accountCursor.optional(),
  },
);
