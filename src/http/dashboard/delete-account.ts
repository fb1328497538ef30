import type { AccountListing } from "../../accounts/admin/listing-operations.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problems/write-problem.ts";
import { invalidRequest } from "../schemas/validation.ts";
import type { DeleteAccount } from "./contract/account.ts";

type Context = Pick<HttpContext, "accounts" | "accountEnds" | "clock" | "settings">;

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
  { accountId, confirm, actorId }: DeleteAccount & { accountId: string; actorId: string },
): Promise<void> {
  const { name } = await requireAccount(context, accountId);
  if (confirm !== name) throw nameMismatch(name);
  const { accounts, accountEnds, clock, settings } = context;
  const actor = { accountId: actorId };
  const retentionMs = settings.deletedAccountMs;
  await accounts.write("closeAccount", {
    accountId,
    actor,
    retentionMs,
    nowMs: clock.now(),
  });
  await accountEnds.settle({ id: accountId, ending: "deleted" });
}

function nameMismatch(name: string) {
  const message = "confirm must be the name of the account";
  const hint = `send {"confirm":${JSON.stringify(name)}}`;
  return invalidRequest([{ code: "invalid_value", message, hint, pointer: "/confirm" }]);
}
