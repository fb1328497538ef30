import type { AccountListing } from "../../accounts/admin/listing-operations.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problems/write-problem.ts";
import { invalidRequest } from "../schemas/validation.ts";
import type { DeleteAccountRequest } from "./contract/account.ts";

type Context = Pick<HttpContext, "accounts" | "accountFinalizer" | "clock" | "settings">;

/** Errors: `account_not_found`. */
export async function requireAccount(
  { accounts, clock }: Pick<Context, "accounts" | "clock">,
  id: string,
): Promise<AccountListing> {
  const account = await accounts.read("findAccount", { id, nowMs: clock.now() });
  if (account === null) throw problem("account_not_found", "account not found");
  return account;
}

/** `confirm` must be the account's name. Errors: `invalid_request`, `account_not_found`, `last_operator`. */
export async function deleteAccount(
  context: Context,
  { accountId, confirm, actorId }: DeleteAccountRequest & { accountId: string; actorId: string },
): Promise<void> {
  const { name } = await requireAccount(context, accountId);
  if (confirm !== name) throw nameMismatch(name);
  const { accounts, accountFinalizer, clock, settings } = context;
  const actor = { accountId: actorId };
  const retentionMs = settings.deletedAccountMs;
  await accounts.write("closeAccount", {
    accountId,
    actor,
    retentionMs,
    nowMs: clock.now(),
  });
  await accountFinalizer.settle({ id: accountId, ending: "deleted" });
}

function nameMismatch(name: string) {
  const message = "confirm must be the account name";
  const hint = `send {"confirm":${JSON.stringify(name)}}`;
  return invalidRequest([{ code: "invalid_value", message, hint, pointer: "/confirm" }]);
}
