import * as z from "zod";
import { type AuditAction, auditActions } from "../../accounts/audit.ts";
import { accountId } from "./dashboard.ts";
import { closedQuery, errorWithHint, namedEnum } from "./words.ts";

const beforeError = errorWithHint(
  "expected the next value from an earlier page",
  "send it unchanged",
);

const before = z
  .string(beforeError)
  .regex(/^\d{1,15}$/, beforeError)
  .transform(Number)
  .optional();

export const ownAuditQuery = closedQuery("use only before, such as ?before=1200", { before });

const actionHint = "send one that docs/dashboard.md lists, such as key_created";
const actorError = errorWithHint(
  "expected an account id, command_line or service",
  "send it once, such as ?actor=command_line",
);
const timeError = errorWithHint(
  "expected a time such as 2026-12-31T12:00:00Z",
  "send it once, with a time zone",
);

const time = z.iso
  .datetime({ offset: true, ...timeError })
  .transform(Date.parse)
  .optional();

export const auditQuery = closedQuery(
  "such as ?account=<id>&action=key_created&from=2026-12-01T00:00:00Z",
  {
    before,
    account: accountId.optional(),
    action: namedEnum("action", auditActions, actionHint)
      .transform((word) => word as AuditAction)
      .optional(),
    actor: z.string(actorError).min(1, actorError).max(64, actorError).optional(),
    from: time,
    to: time,
  },
);
