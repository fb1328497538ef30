import type { AccountChangeRequest } from "../../accounts/admin/change-operations.ts";
import type { AccountListing, AccountPosition } from "../../accounts/admin/listing-operations.ts";
import { isOneVisibleLine } from "../../accounts/keys/key.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import type { OpenControl } from "../../server/control/control.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { accountAsJson, accountAsLines, accountsAsTable } from "./show-account.ts";
import { withControl } from "./with-control.ts";

/** A server counts as running if its last heartbeat, written every second, is at most this old. */
const maxHeartbeatAgeMs = 5_000;
const deletionTimeoutMs = 15_000;
const pollMs = 100;

type AccountPage = { accounts: AccountListing[]; lastScanned: AccountPosition | null };

export async function printAccounts(
  { json }: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const listings = await runWithControl(terminal, allAccounts);
  if (json) {
    for (const listing of listings) {
      terminal.out(`${JSON.stringify(accountAsJson(listing))}\n`);
    }
  } else if (listings.length === 0) {
    terminal.note("no accounts yet – create one with earshot keys create --name NAME\n");
  } else {
    terminal.out(accountsAsTable(listings, terminal));
  }
}

export async function showAccount(
  account: string,
  { json }: { json?: boolean },
  terminal: Terminal,
): Promise<void> {
  const listing = await runWithControl(terminal, (control) => requireAccount(control, account));
  terminal.out(json ? `${JSON.stringify(accountAsJson(listing))}\n` : accountAsLines(listing));
}

export type RequestedLimit = number | "default";

type ChangeOptions = {
  role?: "member" | "operator";
  requestsPerSecond?: RequestedLimit;
  submissionsPerMinute?: RequestedLimit;
};

export async function changeAccount(
  account: string,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<void> {
  const { role, requestsPerSecond: requests, submissionsPerMinute: submissions } = options;
  const change = {
    ...(role === undefined ? {} : { role }),
    ...(requests === undefined ? {} : { requestsPerSecond: limitOrNull(requests) }),
    ...(submissions === undefined ? {} : { submissionsPerMinute: limitOrNull(submissions) }),
  };
  if (Object.keys(change).length === 0) {
    throw wrongUse(
      "accounts change requires an option",
      "use --role, --requests-per-second or --submissions-per-minute",
    );
  }
  terminal.out(accountAsLines(await applyChange(account, change, terminal)));
}

const limitOrNull = (limit: RequestedLimit): number | null => (limit === "default" ? null : limit);

export async function suspendAccount(
  account: string,
  { reason }: { reason: string },
  terminal: Terminal,
): Promise<void> {
  const suspension = { reason: reason.trim().normalize("NFC") };
  if (!isOneVisibleLine(suspension.reason)) {
    throw wrongUse(
      "the reason must be one line of visible characters",
      "rewrite --reason as plain text",
    );
  }
  const { name } = await applyChange(account, { suspension }, terminal);
  terminal.out(`account ${stripControls(name)} suspended\n`);
}

export async function restoreAccount(account: string, terminal: Terminal): Promise<void> {
  const { name } = await applyChange(account, { suspension: null }, terminal);
  terminal.out(`account ${stripControls(name)} restored\n`);
}

/**
 * Closes the account immediately. A running server, which knows the account's jobs, then deletes
 * its data; without a server, this process does.
 */
export async function deleteNamedAccount(
  account: string,
  { yes }: { yes?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { id, name } = await runWithControl(terminal, (control) =>
    requireAccount(control, account),
  );
  if (yes !== true) {
    throw wrongUse(
      `this permanently deletes all data of account ${JSON.stringify(stripControls(name))}`,
      "add --yes to confirm",
    );
  }
  const nowMs = systemClock.now();
  const retentionMs = readConfig(terminal).keys.deletedAccountMs;
  await runWithControl(terminal, (control) =>
    control.run("closeAccount", {
      accountId: id,
      actor: "command_line",
      retentionMs,
      nowMs,
    }),
  );
  if (!(await waitForServerDeletion(id, terminal))) await deleteInThisProcess(id, terminal);
  terminal.out(`account ${stripControls(name)} deleted\n`);
}

async function waitForServerDeletion(accountId: string, terminal: Terminal): Promise<boolean> {
  const deadlineMs = systemClock.elapsed() + deletionTimeoutMs;
  while (systemClock.elapsed() < deadlineMs) {
    const { isRemaining, heartbeatMs } = await runWithControl(terminal, (control) =>
      control.run("deletionProgress", { accountId }),
    );
    if (!isRemaining) return true;
    if (heartbeatMs === null || Math.abs(systemClock.now() - heartbeatMs) > maxHeartbeatAgeMs)
      return false;
    await systemClock.sleep(pollMs);
  }
  terminal.note("the running server did not delete it in time; this command will delete it\n");
  return false;
}

async function deleteInThisProcess(accountId: string, terminal: Terminal): Promise<void> {
  await runWithControl(terminal, async (control) => {
    while ((await control.run("dropClosedAccount", { accountId })).isMore);
  });
}

async function applyChange(
  account: string,
  change: Omit<AccountChangeRequest, "accountId" | "actor" | "nowMs">,
  terminal: Terminal,
): Promise<AccountListing> {
  return await runWithControl(terminal, async (control) =>
    control.run("changeAccount", {
      ...change,
      accountId: await control.run("resolveAccount", { account }),
      actor: "command_line",
      nowMs: systemClock.now(),
    }),
  );
}

async function requireAccount(control: OpenControl, account: string): Promise<AccountListing> {
  const id = await control.run("resolveAccount", { account });
  const listing = await control.run("findAccount", { id, nowMs: systemClock.now() });
  if (listing === null) throw new Error(`account ${id} disappeared`);
  return listing;
}

async function allAccounts(control: OpenControl): Promise<AccountListing[]> {
  const listings: AccountListing[] = [];
  const nowMs = systemClock.now();
  let after: AccountPosition | null = null;
  do {
    const request = { query: null, after, limit: Number.MAX_SAFE_INTEGER, nowMs };
    const page: AccountPage = await control.run("listAccounts", request);
    listings.push(...page.accounts);
    after = page.lastScanned;
  } while (after !== null);
  return listings;
}

async function runWithControl<Value>(
  terminal: Terminal,
  use: (control: OpenControl) => Promise<Value>,
): Promise<Value> {
  return await withControl(readConfig(terminal), use);
}
