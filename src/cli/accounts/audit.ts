import { type Command, Option } from "commander";
import type { AuditEntry, AuditPageRequest } from "../../accounts/admin/audit-operations.ts";
import { type AuditAction, auditActions } from "../../accounts/audit.ts";
import { stripControls } from "../../lib/controls.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { OpenControl } from "../../server/control/control.ts";
import { parseTimeOption, parseWholeNumber } from "../parse-values.ts";
import { readConfig } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withControl } from "./with-control.ts";

type AuditOptions = {
  json?: boolean;
  account?: string;
  actor?: string;
  action?: AuditAction;
  since?: number;
  until?: number;
  limit?: number;
};

type Filters = Omit<AuditPageRequest, "before" | "limit">;

const pageLength = 500;

export function addAudit(program: Command, terminal: Terminal): void {
  program
    .command("audit")
    .description(
      "Shows the audit log, newest first: sign-ins, key and limit changes, operator actions.",
    )
    .option("--account <account>", "id, name or login (github:ann)")
    .option("--actor <actor>", "who acted: an account, command_line or service")
    .addOption(new Option("--action <action>", "only this action").choices(auditActions))
    .option("--since <time>", "only entries at or after this day or time", parseTimeOption)
    .option("--until <time>", "only entries before this day or time", parseTimeOption)
    .option(
      "--limit <number>",
      "maximum number of entries",
      parseWholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option("--json", "print NDJSON")
    .addHelpText(
      "after",
      "\nExample:\n  earshot audit --action key_created --actor command_line --since 2026-01-31",
    )
    .action((options: AuditOptions) => show(options, terminal));
}

async function show(options: AuditOptions, terminal: Terminal): Promise<void> {
  const { json, limit = Number.MAX_SAFE_INTEGER } = options;
  const format = json ? asJson : asText;
  const shownCount = await withControl(readConfig(terminal), async (control) => {
    const filters = await readFilters(control, options);
    let count = 0;
    for await (const entry of readEntries(control, filters, limit)) {
      terminal.out(`${format(entry)}\n`);
      count += 1;
    }
    return count;
  });
  if (shownCount === 0 && !json) terminal.note("no audit log entries match\n");
}

const systemActors = ["command_line", "service"];

async function readFilters(control: OpenControl, options: AuditOptions): Promise<Filters> {
  const { account, actor, action = null, since = null, until = null } = options;
  const resolveId = async (account: string | undefined) =>
    account === undefined ? null : await control.run("resolveAccount", { account });
  return {
    accountId: await resolveId(account),
    actor: actor !== undefined && systemActors.includes(actor) ? actor : await resolveId(actor),
    action,
    fromMs: since,
    toMs: until,
  };
}

async function* readEntries(
  control: OpenControl,
  filters: Filters,
  maxEntries: number,
): AsyncGenerator<AuditEntry> {
  let before: number | null = null;
  let remaining = maxEntries;
  while (remaining > 0) {
    const limit = Math.min(remaining, pageLength);
    const page: AuditEntry[] = await control.run("readAudit", { ...filters, before, limit });
    yield* page;
    if (page.length < limit) return;
    remaining -= page.length;
    before = page.at(-1)?.sequence ?? null;
  }
}

function asJson({ atMs, ...entry }: AuditEntry): string {
  return JSON.stringify({ ...entry, at: isoTime(atMs) });
}

function asText({ atMs, action, actor, subject, key, detail }: AuditEntry): string {
  const parts = [
    isoTime(atMs).replace(/\.\d+Z$/, "Z"),
    action.replaceAll("_", " "),
    ...(subject === null ? [] : [`for ${subject}`]),
    ...(key === null ? [] : [`key ${JSON.stringify(key)}`]),
    `by ${actor}`,
    ...Object.entries(detail).map(([name, value]) => `${name}=${value ?? "unset"}`),
  ];
  return parts.map((part) => stripControls(part).replaceAll("\n", " ")).join("  ");
}
