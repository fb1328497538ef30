import type { ArchiveChange } from "../../archive/archive.ts";
import { asFields, list } from "../fields.ts";
import { isHandle } from "./at-uri.ts";
import { readLabel } from "./label.ts";
import { readDisplayName } from "./profile.ts";

export const maxProfiles = 25;
const maxLabels = 100;

export function profilesUrl(appViewUrl: string, accounts: readonly string[]): URL {
  const url = new URL("/xrpc/app.bsky.actor.getProfiles", appViewUrl);
  for (const account of accounts) url.searchParams.append("actors", account);
  return url;
}

/** Ignores labels unless they are from the account itself or from one of `sources`. */
export function readProfileViews(
  response: unknown,
  requestedAccounts: readonly string[],
  request: { sources: ReadonlySet<string>; observedMs: number },
): ReadonlyMap<string, readonly ArchiveChange[]> {
  const changesByAccount = new Map<string, readonly ArchiveChange[]>();
  for (const view of list(asFields(response).profiles, maxProfiles)) {
    const { did } = asFields(view);
    const account = requestedAccounts.find((id) => id === did);
    if (account !== undefined)
      changesByAccount.set(account, getChanges(account, asFields(view), request));
  }
  return changesByAccount;
}

function getChanges(
  userId: string,
  view: Record<string, unknown>,
  { sources, observedMs }: { sources: ReadonlySet<string>; observedMs: number },
): readonly ArchiveChange[] {
  const { handle, displayName } = view;
  const account = { platform: "bluesky", userId, observedMs } as const;
  const changes: ArchiveChange[] = [];
  if (typeof handle === "string" && isHandle(handle) && handle !== "handle.invalid") {
    changes.push({ kind: "handle", ...account, handle });
  }
  const labels: string[] = [];
  for (const value of list(view.labels, maxLabels)) {
    const label = readLabel(value, observedMs);
    if (typeof label === "string" || label.subject !== userId) continue;
    const { source, negated, expiresMs } = label;
    if (source !== userId) {
      if (sources.has(source)) changes.push(label);
    } else if (!negated && (expiresMs === null || expiresMs > observedMs)) labels.push(label.value);
  }
  changes.push({ kind: "profile", ...account, name: readDisplayName(displayName), labels });
  return changes;
}
