import { Readable } from "node:stream";
import type { ExportPart } from "../../../accounts/admin/export-operations.ts";
import {
  type ExportedKind,
  type ExportPosition,
  exportedKinds,
} from "../../../accounts/admin/export-rows.ts";
import type { HttpContext } from "../../context.ts";
import { auditEntry } from "../../dashboard/account-responses.ts";
import type { AuditResponse } from "../../dashboard/contract/audit.ts";
import { deleteAccount } from "../../dashboard/delete-account.ts";
import type { PendingRequests } from "../../long-poll/pending-requests.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { accountDeletion } from "../../schemas/accounts.ts";
import { ownAuditQuery } from "../../schemas/audit.ts";
import { iso } from "../../submission/window.ts";
import type { TypedApp } from "../typed-app.ts";

const config = { access: "session" as const };
const hiddenSchema = { hide: true };
const path = "/dashboard/api/account";

export const auditPageSize = 50;

export function addAccountRoutes(
  app: TypedApp,
  context: HttpContext,
  pendingRequests: PendingRequests,
): void {
  const { accounts, clock, dashboard, settings } = context;

  app.route({
    method: "GET",
    url: `${path}/export`,
    config,
    schema: hiddenSchema,
    handler: async (request, reply) => {
      const caller = requireCaller(request);
      const name = `earshot-account-${iso(clock.now()).slice(0, 10)}.ndjson`;
      reply
        .type("application/x-ndjson; charset=utf-8")
        .header("content-disposition", `attachment; filename="${name}"`)
        // Shutdown must not wait for a connection that could carry another request.
        .header("connection", "close");
      if (request.method === "HEAD") return reply.send(Readable.from([]));
      await accounts.write("recordExport", { accountId: caller.accountId, nowMs: clock.now() });
      const signal = pendingRequests.openStream(caller, reply, settings.maxStreamMs);
      return reply.send(Readable.from(exportLines(accounts, caller.accountId, signal)));
    },
  });

  app.route({
    method: "GET",
    url: `${path}/audit`,
    config,
    schema: { ...hiddenSchema, querystring: ownAuditQuery },
    handler: async (request): Promise<AuditResponse> => {
      const { accountId } = requireCaller(request);
      const before = request.query.before ?? null;
      const params = { accountId, before, limit: auditPageSize };
      return auditResponse((await accounts.read("readAudit", params)).map(auditEntry));
    },
  });

  app.route({
    method: "DELETE",
    url: path,
    config,
    schema: { ...hiddenSchema, body: accountDeletion },
    handler: async (request, reply) => {
      const { accountId } = requireCaller(request);
      const { confirm } = request.body;
      await deleteAccount(context, { accountId, confirm, actorId: accountId });
      dashboard.cookies.clearSession(reply);
      return reply.code(204).send();
    },
  });
}

/** A full page may be followed by another. */
export function auditResponse(entries: AuditResponse["entries"]): AuditResponse {
  const last = entries.at(-1);
  const isFull = last !== undefined && entries.length === auditPageSize;
  return { entries, next: isFull ? last.sequence : null };
}

/**
 * Yields lines as the client consumes them. The last line has the count, so that truncation is
 * detectable. Throws when the signal aborts.
 */
async function* exportLines(
  accounts: Pick<HttpContext["accounts"], "read">,
  accountId: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let lines = 0;
  for (const kind of exportedKinds) {
    for await (const part of readParts(accounts, accountId, kind)) {
      signal.throwIfAborted();
      lines += part.lines;
      if (part.text !== "") yield part.text;
    }
  }
  yield `${JSON.stringify({ kind: "end", lines })}\n`;
}

async function* readParts(
  accounts: Pick<HttpContext["accounts"], "read">,
  accountId: string,
  kind: ExportedKind,
): AsyncGenerator<ExportPart> {
  let position: ExportPosition = null;
  do {
    const part: ExportPart = await accounts.read("exportAccount", {
      accountId,
      kind,
      after: position,
    });
    yield part;
    position = part.next;
  } while (position !== null);
}
