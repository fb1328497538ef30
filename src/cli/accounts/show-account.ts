import type { AccountListing } from "../../accounts/admin/listing-operations.ts";
import { stripControls } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { tableLines } from "../terminal/table.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";

export function accountAsJson(listing: AccountListing): Record<string, unknown> {
  return {
    id: listing.id,
    name: listing.name,
    provider: listing.provider,
    role: listing.role,
    created_at: isoTime(listing.createdMs),
    seen_at: isoOrNull(listing.seenMs),
    suspended_at: isoOrNull(listing.suspendedMs),
    suspended_reason: listing.suspendedReason,
    keys: listing.keys,
    searches_24h: listing.searches24h,
    requests_per_second: listing.requestsPerSecond,
    submissions_per_minute: listing.submissionsPerMinute,
  };
}

export function accountsAsTable(listings: readonly AccountListing[], terminal: Terminal): string {
  const titles = ["ID", "NAME", "FROM", "ROLE", "KEYS", "LIMITS", "CREATED", "SEEN", "STATE"];
  const rows = listings.map((listing) => [
    listing.id,
    stripControls(listing.name),
    listing.provider ?? "local",
    listing.role,
    String(listing.keys),
    formatLimits(listing),
    formatDay(listing.createdMs),
    listing.seenMs === null ? "never" : formatDay(listing.seenMs),
    listing.suspendedMs === null ? "active" : "suspended",
  ]);
  const columns = titles.map((title) => ({ title, align: "left" }) as const);
  return `${tableLines(columns, rows, painter(terminal).bold).join("\n")}\n`;
}

export function accountAsLines(listing: AccountListing): string {
  const { suspendedMs, suspendedReason, seenMs } = listing;
  const facts: [string, string][] = [
    ["id", listing.id],
    ["name", stripControls(listing.name)],
    ["from", listing.provider ?? "local"],
    ["role", listing.role],
    ["limits", formatLimits(listing)],
    ["keys", String(listing.keys)],
    ["searches", `${listing.searches24h} in 24 hours`],
    ["created", isoTime(listing.createdMs)],
    ["seen", seenMs === null ? "never" : isoTime(seenMs)],
  ];
  if (suspendedMs !== null) {
    const reason = stripControls(suspendedReason ?? "").replaceAll("\n", " ");
    facts.push(["suspended", `${isoTime(suspendedMs)}${reason === "" ? "" : ` – ${reason}`}`]);
  }
  return facts.map(([name, value]) => `${name.padEnd(9)}  ${value}\n`).join("");
}

function formatLimits({ requestsPerSecond, submissionsPerMinute }: AccountListing): string {
  const limits = [
    ...(requestsPerSecond === null ? [] : [`${requestsPerSecond}/s`]),
    ...(submissionsPerMinute === null ? [] : [`${submissionsPerMinute}/min`]),
  ];
  return limits.join(" ") || "default";
}

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

const formatDay = (ms: number): string => isoTime(ms).slice(0, 10);
