import { stripControls } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Credential } from "../../platforms/credential.ts";
import type { ListedCredential } from "../../upstream/credentials/rows.ts";
import { tableLines } from "../terminal/table.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";

/** Reveals nothing about the secret except its hint. */
export function listingAsJson(listing: ListedCredential, nowMs: number): Record<string, unknown> {
  const { quarantine } = listing;
  const coolings = credentialCoolings(listing, nowMs);
  return {
    id: listing.id,
    owner: listing.accountId === null ? "deployment" : "account",
    account_id: listing.accountId,
    account: listing.accountName,
    platform: listing.platform,
    kind: listing.kind,
    host: listing.host,
    subject: listing.subject,
    subject_name: listing.subjectName,
    hint: listing.hint,
    created_at: isoTime(listing.createdMs),
    used_at: listing.usedMs === null ? null : isoTime(listing.usedMs),
    state: quarantine !== null ? "quarantined" : coolings.length > 0 ? "cooling" : "ok",
    quarantine: quarantine && { since: isoTime(quarantine.sinceMs), reason: quarantine.reason },
    coolings: coolings.map(({ bucket, untilMs, reason }) => ({
      bucket,
      until: isoTime(untilMs),
      reason,
    })),
  };
}

export function listingsAsTable(
  listings: readonly ListedCredential[],
  nowMs: number,
  terminal: Terminal,
): string {
  const titles = ["ID", "PLATFORM", "KIND", "OWNER", "FOR", "SECRET", "USED", "STATE"];
  const rows = listings.map((listing) => [
    listing.id,
    listing.platform,
    listing.kind,
    stripControls(getOwner(listing)),
    stripControls(subjectText(listing)),
    `${stripControls(listing.hint)}…`,
    listing.usedMs === null ? "never" : formatMinute(listing.usedMs),
    stripControls(listingState(listing, nowMs)),
  ]);
  const columns = titles.map((title) => ({ title, align: "left" }) as const);
  return `${tableLines(columns, rows, painter(terminal).bold).join("\n")}\n`;
}

export function subjectText({ subject, subjectName, host }: Credential): string {
  const name = subjectName ?? subject ?? "an application";
  const hostText = URL.parse(host)?.host ?? host;
  return `${name} at ${hostText}`;
}

function getOwner({ accountId, accountName }: ListedCredential): string {
  return accountId === null ? "deployment" : (accountName ?? accountId);
}

function listingState(listing: ListedCredential, nowMs: number): string {
  if (listing.quarantine !== null) return `quarantined: ${listing.quarantine.reason}`;
  const coolings = credentialCoolings(listing, nowMs);
  if (coolings.length === 0) return "ok";
  const coolingTexts = coolings.map(
    ({ bucket, untilMs }) => `${formatMinute(untilMs)} (${bucket})`,
  );
  return `cooling until ${coolingTexts.join(", ")}`;
}

const credentialCoolings = ({ coolings }: Credential, nowMs: number) =>
  coolings.filter(({ untilMs }) => untilMs > nowMs);

const formatMinute = (ms: number): string => isoTime(ms).slice(0, 16).replace("T", " ");
