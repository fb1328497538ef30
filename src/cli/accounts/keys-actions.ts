import type { KeyListing } from "../../accounts/keys/command-line-operations.ts";
import { keyState, maxOverlapHours } from "../../accounts/keys/key.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { formatDuration } from "../../lib/duration.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Method } from "../../platforms/methods.ts";
import { readConfig } from "../settings.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { withControl } from "./with-control.ts";

type CreateOptions = {
  name: string;
  account?: string;
  requestsPerSecond?: number;
  submissionsPerMinute?: number;
  methods?: readonly Method[];
  expires?: number;
};

export const maxOverlapMs = maxOverlapHours * 3_600_000;

export async function createKey(options: CreateOptions, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  const nowMs = systemClock.now();
  const createdKey = await withControl(config, (control) =>
    control.run("createKey", {
      name: options.name,
      accountName: options.account ?? null,
      requestsPerSecond: options.requestsPerSecond ?? null,
      submissionsPerMinute: options.submissionsPerMinute ?? null,
      methods: options.methods ?? null,
      expiresMs: options.expires === undefined ? null : nowMs + options.expires,
      maxKeys: config.keys.maxKeysPerAccount,
      nowMs,
    }),
  );
  printOnce(createdKey, terminal);
}

export async function listKeys(options: { json?: boolean }, terminal: Terminal): Promise<void> {
  const listings = await withControl(readConfig(terminal), (control) =>
    control.run("listKeys", null),
  );
  const nowMs = systemClock.now();
  if (options.json) {
    for (const key of listings) terminal.out(`${JSON.stringify(keyAsJson(key, nowMs))}\n`);
  } else if (listings.length === 0) {
    terminal.note("no keys yet – create one with earshot keys create --name NAME\n");
  } else {
    terminal.out(keyTable(listings, nowMs, terminal));
  }
}

export async function rotateKey(id: string, overlapMs: number, terminal: Terminal): Promise<void> {
  const config = readConfig(terminal);
  const createdKey = await withControl(config, (control) =>
    control.run("rotateKey", {
      id,
      actor: "command_line",
      overlapMs,
      newPerDay: config.keys.newKeysPerDay,
      nowMs: systemClock.now(),
    }),
  );
  if (terminal.interactive) {
    const expiry = overlapMs === 0 ? "has expired" : `expires in ${formatDuration(overlapMs)}`;
    terminal.note(`key ${id} ${expiry}\n`);
  }
  printOnce(createdKey, terminal);
}

export async function revokeKey(id: string, terminal: Terminal): Promise<void> {
  const nowMs = systemClock.now();
  await withControl(readConfig(terminal), (control) =>
    control.run("revokeKey", { id, actor: "command_line", nowMs }),
  );
  terminal.out(`key ${id} revoked\n`);
}

function printOnce({ id, token }: { id: string; token: string }, terminal: Terminal): void {
  if (terminal.interactive) {
    terminal.note(`key ${id}, shown only once: store it like a password\n`);
  }
  terminal.out(`${token}\n`);
}

function keyAsJson(key: KeyListing, nowMs: number): Record<string, unknown> {
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

function keyTable(keys: readonly KeyListing[], nowMs: number, terminal: Terminal): string {
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
