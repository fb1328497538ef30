import * as z from "zod";
import { type AuditAction, auditActions } from "../../accounts/audit.ts";
import { accountId } from "./dashboard.ts";
import { closedQuery, errorWithHint, namedEnum } from "./words.ts";

const beforeText = errorWithHint(
  "expected the value of next of an earlier page",
  "send it unchanged",
);

const before = z
  .string(beforeText)
  .regex(/^\d{1,15}$/, beforeText)
  .transform(Number)
  .optional();

export const ownAuditQuery = closedQuery("use only before, such as ?before=1200", { before });

const actionText = "send one that docs/dashboard.md lists, such as key_created";
const actorText = errorWithHint(
  "actor is the id of an account, command_line or service",
  "send it once, such as ?actor=command_line",
);
const timeText = errorWithHint(
  "expected a time such as 2026-12-31T12:00:00Z",
  "send it once, with a time zone",
);

const time = z.iso
  .datetime({ offset: true, ...timeText })
  .transform(Date.parse)
  .optional();

export const auditQuery = closedQuery(
  "such as ?account=<id>&action=key_created&from=2026-12-01T00:00:00Z",
  {
    before,
    account: accountId.optional(),
    action: namedEnum("action", auditActions, actionText)
      .transform((word) => word as AuditAction)
      .optional(),
    actor: z.string(actorText).min(1, actorText).max(64, actorText).optional(),
    from: time,
    to: time,
  },
);
