import * as z from "zod";
import { isOneVisibleLine } from "../../accounts/keys/key.ts";
import { closedObject, closedQuery, errorWithHint, namedEnum } from "./words.ts";

const maxQueryLength = 100;
const maxConfirmationLength = 200;
const maxReasonLength = 200;
const maxRate = 1_000_000;

const bodyErrors = (kind: string, hint: string) => ({
  kind,
  message: "expected a JSON object",
  hint,
});

const limit = (name: string) => {
  const limitError = errorWithHint(
    `expected a whole number from 1 to ${maxRate}, or null for the default`,
    `send, for example, "${name}":5`,
  );
  return z.int(limitError).min(1, limitError).max(maxRate, limitError).nullable().optional();
};

const reasonError = errorWithHint(
  `expected one line of at most ${maxReasonLength} visible characters`,
  'send, for example, "suspended_reason":"Scrapes with a hundred keys"',
);
const suspendedError = errorWithHint(
  "expected true or false",
  'send, for example, "suspended":true',
);

export const accountChange = closedObject(
  bodyErrors(
    "field",
    'send, for example, {"role":"operator"} or {"suspended":true,"suspended_reason":"…"}',
  ),
  {
    role: namedEnum("role", ["member", "operator"], 'send "role":"operator" or "role":"member"')
      .transform((word) => word as "member" | "operator")
      .optional(),
    suspended: z.boolean(suspendedError).optional(),
    suspended_reason: z
      .string(reasonError)
      .max(maxReasonLength, reasonError)
      .transform((text) => text.trim().normalize("NFC"))
      .refine(isOneVisibleLine, reasonError)
      .optional(),
    requests_per_second: limit("requests_per_second"),
    submissions_per_minute: limit("submissions_per_minute"),
  },
);

const confirmError = errorWithHint(
  "the account name is required for confirmation",
  'send {"confirm":"<account name>"}',
);

export const accountDeletion = closedObject(
  bodyErrors("field", 'send {"confirm":"<account name>"}'),
  { confirm: z.string(confirmError).max(maxConfirmationLength, confirmError) },
);

export const accountPath = z.object({ id: z.string() });
export const nodePath = z.object({ id: z.string() });

const queryError = errorWithHint(
  `expected at most ${maxQueryLength} characters`,
  "send part of a name, such as ?query=ann",
);
const afterError = errorWithHint(
  "expected the next value from an earlier page",
  "send it unchanged",
);

export const listSearchText = z.string(queryError).max(maxQueryLength, queryError);

/** For lists of accounts and keys. */
export const accountCursor = z.string(afterError).regex(/^\d{1,16}-[0-9A-Za-z]{1,64}$/, afterError);

export const accountsQuery = closedQuery(
  "use query and after, such as ?query=ann&after=<next of the previous page>",
  {
    query: listSearchText.optional(),
    after: accountCursor.optional(),
  },
);
