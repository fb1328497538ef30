import type { Command } from "commander";
import type { KeyListing } from "../accounts/operations.ts";
import { systemClock } from "../lib/clock.ts";
import { withoutControls } from "../text/controls.ts";
import { withControl } from "./control.ts";
import { wrongUse } from "./faults.ts";
import { wholeNumber } from "./parse-values.ts";
import { readConfig } from "./settings.ts";
import { painter, type Terminal } from "./terminal.ts";
import { displayWidth } from "./text-layout.ts";

type CreateOptions = {
  name: string;
  account?: string;
  requestsPerSecond?: number;
  submissionsPerMinute?: number;
};

/** `earshot keys`: API keys of the data folder, also beside a running server. */
export function addKeys(program: Command, terminal: Terminal): void {
  const keys = program
    .command("keys")
    .summary("make, list and revoke API keys")
    .description("Makes, lists and revokes API keys. Works beside a running server, at once.")
    .helpCommand(false)
    .action(() => {
      throw wrongUse(
        "keys needs to know what to do",
        "write keys create, keys list or keys revoke",
      );
    });
  const limit = wholeNumber(1, Number.MAX_SAFE_INTEGER);
  keys
    .command("create")
    .summary("make a key and print it, once")
    .description(
      "Makes a key and prints it alone on the last line: it is kept as a hash and never shown again. Each key is an account of " +
        "its own, with its own jobs, unless --account names one. Limits are counted per key.",
    )
    .requiredOption("--name <name>", "what the key is for")
    .option("--account <name>", "the account it belongs to; made when it does not exist")
    .option("--requests-per-second <number>", "instead of EARSHOT_REQUESTS_PER_SECOND", limit)
    .option("--submissions-per-minute <number>", "instead of EARSHOT_SUBMISSIONS_PER_MINUTE", limit)
    .addHelpText("after", "\nExample:\n  KEY=$(earshot keys create --name laptop | tail -n 1)")
    .action((options: CreateOptions) => create(options, terminal));
  keys
    .command("list")
    .summary("list all keys")
    .description(
      "Lists all keys, revoked ones too, oldest first. The secret part of a key is not kept.",
    )
    .option("--json", "print one JSON object a line")
    .action((options: { json?: boolean }) => list(options, terminal));
  keys
    .command("revoke")
    .summary("end a key for good")
    .description(
      "Ends a key for good; requests with it are refused from now on. Its jobs stay until they expire.",
    )
    .argument("<id>", "the key's id, as keys list shows it")
    .action((id: string) => revoke(id, terminal));
}

function create(options: CreateOptions, terminal: Terminal): void {
  const { token, id } = withControl(readConfig(terminal).data.dir, (control) =>
    control.run("createKey", {
      name: options.name,
      accountName: options.account ?? null,
      requestsPerSecond: options.requestsPerSecond ?? null,
      submissionsPerMinute: options.submissionsPerMinute ?? null,
      nowMs: systemClock.now(),
    }),
  );
  if (terminal.interactive) {
    terminal.note(`key ${id}, shown this once: keep it where you keep passwords\n`);
  }
  terminal.out(`${token}\n`);
}

function list(options: { json?: boolean }, terminal: Terminal): void {
  const listings = withControl(readConfig(terminal).data.dir, (control) =>
    control.run("listKeys", null),
  );
  if (options.json) {
    for (const listing of listings) terminal.out(`${JSON.stringify(asJson(listing))}\n`);
  } else if (listings.length === 0) {
    terminal.note("there is no key yet – earshot keys create --name NAME makes one\n");
  } else {
    terminal.out(asTable(listings, terminal));
  }
}

function revoke(id: string, terminal: Terminal): void {
  withControl(readConfig(terminal).data.dir, (control) => control.run("revokeKey", { id }));
  terminal.out(`key ${id} is revoked\n`);
}

function asJson(listing: KeyListing): Record<string, unknown> {
  return {
    id: listing.id,
    name: listing.name,
    account_id: listing.accountId,
    account: listing.accountName,
    requests_per_second: listing.requestsPerSecond,
    submissions_per_minute: listing.submissionsPerMinute,
    created_at: isoTime(listing.createdMs),
    revoked: listing.revoked,
  };
}

function asTable(listings: readonly KeyListing[], terminal: Terminal): string {
  const head = ["ID", "NAME", "ACCOUNT", "LIMITS", "CREATED", "STATE"];
  const rows = listings.map((listing) => [
    listing.id,
    withoutControls(listing.name),
    withoutControls(listing.accountName ?? "its own"),
    limitsOf(listing),
    isoTime(listing.createdMs).slice(0, 10),
    listing.revoked ? "revoked" : "active",
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - displayWidth(cell)))
      .join("  ")
      .trimEnd();
  return `${[painter(terminal).bold(line(head)), ...rows.map(line)].join("\n")}\n`;
}

function limitsOf({ requestsPerSecond, submissionsPerMinute }: KeyListing): string {
  const limits = [
    ...(requestsPerSecond === null ? [] : [`${requestsPerSecond}/s`]),
    ...(submissionsPerMinute === null ? [] : [`${submissionsPerMinute}/min`]),
  ];
  return limits.join(" ") || "usual";
}

const isoTime = (ms: number): string => new Date(ms).toISOString();
