import type { KeyListing } from "../../accounts/keys/command-line-operations.ts";
import { keyState } from "../../accounts/keys/key.ts";
import { stripControls } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";

export function keyAsJson(key: KeyListing, nowMs: number): Record<string, unknown> {
  return {
    id: key.id,
    name: key.name,
    account_id: key.accountId,
    account: key.accountName,
    state: keyState(key, nowMs),
    methods: key.methods,
    requests_per_second: key.requestsPerSecond,
    submissions_per_minute: key.submissionsPerMinute,
    created_at: isoTime(key.createdMs),
    used_at: isoTimeOrNull(key.usedMs),
    used_from: key.usedFrom,
    expires_at: isoTimeOrNull(key.expiresMs),
    successor_id: key.successorId,
    revoked_at: isoTimeOrNull(key.revokedMs),
    revoked: key.revoked,
  };
}

const columns: readonly Column[] = [
  "ID",
  "NAME",
  "ACCOUNT",
  "LIMITS",
  "METHODS",
  "CREATED",
  "LAST USE",
  "EXPIRES",
  "STATE",
].map((title) => ({ title, align: "left" }));

export function keyTable(keys: readonly KeyListing[], nowMs: number, terminal: Terminal): string {
  const rows = keys.map((key) => [
    key.id,
    stripControls(key.name),
    stripControls(key.accountName ?? "own"),
    formatLimits(key),
    key.methods === null ? "all" : key.methods.join(","),
    formatDay(key.createdMs),
    key.usedMs === null ? "never" : formatMinute(key.usedMs),
    key.expiresMs === null ? "never" : formatMinute(key.expiresMs),
    keyState(key, nowMs),
  ]);
  return `${tableLines(columns, rows, painter(terminal).bold).join("\n")}\n`;
}

function formatLimits({ requestsPerSecond, submissionsPerMinute }: KeyListing): string {
  const limits = [
    ...(requestsPerSecond === null ? [] : [`${requestsPerSecond}/s`]),
    ...(submissionsPerMinute === null ? [] : [`${submissionsPerMinute}/min`]),
  ];
  return limits.join(" ") || "default";
}

const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

const formatDay = (ms: number): string => isoTime(ms).slice(0, 10);

const formatMinute = (ms: number): string => isoTime(ms).slice(0, 16).replace("T", " ");
