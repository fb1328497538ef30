import type { Command } from "commander";
import type { AuditEntry } from "../accounts/admin/audit-operations.ts";
import { withoutControls } from "../lib/controls.ts";
import { isoTime } from "../lib/iso-time.ts";
import type { OpenControl } from "../server/control.ts";
import { wholeNumber } from "./parse-values.ts";
import { readConfig } from "./settings.ts";
import type { Terminal } from "./terminal.ts";
import { withControl } from "./with-control.ts";

type AuditOptions = { json?: boolean; account?: string; limit?: number };

const pageLength = 500;

export function addAudit(program: Command, terminal: Terminal): void {
  program
    .command("audit")
    .description(
      "Shows the audit log, newest first: sign-ins, changes of keys and limits, actions of operators.",
    )
    .option("--account <account>", "id, name or login (github:ann)")
    .option(
      "--limit <number>",
      "maximum number of entries",
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )
    .option("--json", "print one JSON object per line")
    .action((options: AuditOptions) => show(options, terminal));
}

async function show({ json, account, limit }: AuditOptions, terminal: Terminal): Promise<void> {
  const print = json ? asJson : asText;
  const shown = await withControl(readConfig(terminal), async (control) => {
    const accountId =
      account === undefined ? null : await control.run("resolveAccount", { account });
    let entries = 0;
    for await (const entry of entriesOf(control, accountId, limit ?? Number.MAX_SAFE_INTEGER)) {
      terminal.out(`${print(entry)}\n`);
      entries += 1;
    }
    return entries;
  });
  if (shown === 0 && !json) terminal.note("the audit log is empty\n");
}

async function* entriesOf(
  control: OpenControl,
  accountId: string | null,
  count: number,
): AsyncGenerator<AuditEntry> {
  let before: number | null = null;
  let left = count;
  while (left > 0) {
    const limit = Math.min(left, pageLength);
    const page: AuditEntry[] = await control.run("readAudit", { accountId, before, limit });
    yield* page;
    if (page.length < limit) return;
    left -= page.length;
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
    ...(subject === null ? [] : [`of ${subject}`]),
    ...(key === null ? [] : [`key ${JSON.stringify(key)}`]),
    `by ${actor}`,
    ...Object.entries(detail).map(([name, value]) => `${name}=${value ?? "unset"}`),
  ];
  return parts.map((part) => withoutControls(part).replaceAll("\n", " ")).join("  ");
}
