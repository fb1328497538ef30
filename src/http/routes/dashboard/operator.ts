import type { AccountChangeRequest } from "../../../accounts/admin/change-operations.ts";
import type { HttpContext } from "../../context.ts";
import {
  accountListingResponse,
  auditEntry,
  readAccountCursor,
  writeAccountCursor,
} from "../../dashboard/account-responses.ts";
import type { AuditResponse } from "../../dashboard/contract/audit.ts";
import type {
  AccountChange,
  AccountListingResponse,
  AccountsResponse,
} from "../../dashboard/contract/operator.ts";
import { deleteAccount, requireAccount } from "../../dashboard/delete-account.ts";
import { listAccounts } from "../../dashboard/list-accounts.ts";
import { requireCaller } from "../../middleware/caller.ts";
import {
  accountChange,
  accountDeletion,
  accountPath,
  accountsQuery,
} from "../../schemas/accounts.ts";
import { auditQuery } from "../../schemas/audit.ts";
import type { TypedApp } from "../typed-app.ts";
import { auditPageSize, auditResponse } from "./account.ts";

const config = { access: "operator" as const };
const hiddenSchema = { hide: true };
const path = "/dashboard/api/operator";

const accountsPerPage = 50;

export function addOperatorRoutes(app: TypedApp, context: HttpContext): void {
  const { accounts, accountFinalizer, clock } = context;

  app.route({
    method: "GET",
    url: `${path}/accounts`,
    config,
    schema: { ...hiddenSchema, querystring: accountsQuery },
    handler: async (request): Promise<AccountsResponse> => {
      const { query = "", after } = request.query;
      const page = await listAccounts(context, {
        query: query.trim() === "" ? null : query.trim(),
        after: after === undefined ? null : readAccountCursor(after),
        limit: accountsPerPage,
      });
      return {
        accounts: page.accounts.map(accountListingResponse),
        next: page.next === null ? null : writeAccountCursor(page.next),
      };
    },
  });

  app.route({
    method: "PATCH",
    url: `${path}/accounts/:id`,
    config,
    schema: { ...hiddenSchema, params: accountPath, body: accountChange },
    handler: async (request): Promise<{ account: AccountListingResponse }> => {
      const { id } = request.params;
      await requireAccount(context, id);
      const account = await accounts.write("changeAccount", {
        ...makeChange(request.body),
        accountId: id,
        actor: { accountId: requireCaller(request).accountId },
        nowMs: clock.now(),
      });
      if (request.body.suspended === true)
        await accountFinalizer.settle({ id, ending: "suspended" });
      return { account: accountListingResponse(account) };
    },
  });

  app.route({
    method: "DELETE",
    url: `${path}/accounts/:id`,
    config,
    schema: { ...hiddenSchema, params: accountPath, body: accountDeletion },
    handler: async (request, reply) => {
      const { confirm } = request.body;
      const { accountId: actorId } = requireCaller(request);
      await deleteAccount(context, { accountId: request.params.id, confirm, actorId });
      return reply.code(204).send();
    },
  });

  app.route({
    method: "GET",
    url: `${path}/audit`,
    config,
    schema: { ...hiddenSchema, querystring: auditQuery },
    handler: async (request): Promise<AuditResponse> => {
      const { account, action, actor, from, to, before } = request.query;
      const params = {
        accountId: account ?? null,
        action: action ?? null,
        actor: actor ?? null,
        fromMs: from ?? null,
        toMs: to ?? null,
        before: before ?? null,
        limit: auditPageSize,
      };
      return auditResponse((await accounts.read("readAudit", params)).map(auditEntry));
    },
  });
}

/** Validation may leave absent members undefined. */
type Parsed<Request> = { [Name in keyof Request]: Request[Name] | undefined };

/** A reason without `suspended` has no effect. */
function makeChange(
  request: Parsed<AccountChange>,
): Omit<AccountChangeRequest, "accountId" | "actor" | "nowMs"> {
  const { role, suspended, suspended_reason: reason = "" } = request;
  const { requests_per_second: requests, submissions_per_minute: submissions } = request;
  return {
    ...(role === undefined ? {} : { role }),
    ...(requests === undefined ? {} : { requestsPerSecond: requests }),
    ...(submissions === undefined ? {} : { submissionsPerMinute: submissions }),
    ...(suspended === undefined ? {} : { suspension: suspended ? { reason } : null }),
  };
}
