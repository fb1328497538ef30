import { maxOverlapHours } from "../../accounts/keys/key.ts";
import { systemClock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import type { Method } from "../../platforms/methods.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { keyAsJson, keyTable } from "./show-keys.ts";
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
  const created = await withControl(config, (control) =>
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
  printOnce(created, terminal);
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
  const created = await withControl(config, (control) =>
    control.run("rotateKey", {
      id,
      by: "command_line",
      overlapMs,
      newPerDay: config.keys.newKeysPerDay,
      nowMs: systemClock.now(),
    }),
  );
  if (terminal.interactive) {
    const expiry = overlapMs === 0 ? "has expired" : `expires in ${formatDuration(overlapMs)}`;
    terminal.note(`key ${id} ${expiry}\n`);
  }
  printOnce(created, terminal);
}

export async function revokeKey(id: string, terminal: Terminal): Promise<void> {
  const nowMs = systemClock.now();
  await withControl(readConfig(terminal), (control) =>
    control.run("revokeKey", { id, by: "command_line", nowMs }),
  );
  terminal.out(`key ${id} revoked\n`);
}

function printOnce({ id, token }: { id: string; token: string }, terminal: Terminal): void {
  if (terminal.interactive) {
    terminal.note(`key ${id}, shown only once: store it like a password\n`);
  }
  terminal.out(`${token}\n`);
}
