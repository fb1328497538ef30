import { resolve } from "node:path";
import type { Command } from "commander";
import type { StreamState } from "../ingest/ingest-state.ts";
import { systemClock } from "../lib/clock.ts";
import { formatDuration } from "../lib/duration.ts";
import { errorMessage } from "../lib/errors.ts";
import { cleartextWarning } from "../server/cleartext.ts";
import type { Service } from "../server/start.ts";
import { boundHeapGrowth } from "../server/watches/heap-growth.ts";
import { signInLink } from "./accounts/sign-in.ts";
import { exitSoon, otherRoleWarning, withQuietLog } from "./serving.ts";
import { readConfig } from "./settings.ts";
import { untilStopped } from "./terminal/signals.ts";
import type { Terminal } from "./terminal/terminal.ts";

export function addServe(program: Command, terminal: Terminal): void {
  program
    .command("serve")
    .description(
      "Runs the whole service: the HTTP API, one node, and live ingestion. One server per data folder; other " +
        "commands can run alongside it. Ctrl-C stops gracefully, a second one immediately. On a terminal the log " +
        "shows only warnings, unless EARSHOT_LOG_LEVEL is set.",
    )
    .addHelpText(
      "after",
      "\nExamples:\n" +
        "  earshot serve\n" +
        "  EARSHOT_INGEST=off EARSHOT_PORT=9000 EARSHOT_DATA_DIR=/var/lib/earshot earshot serve",
    )
    .action(() => serve(terminal));
}

async function serve(terminal: Terminal): Promise<void> {
  const config = withQuietLog(readConfig(terminal), terminal);
  // Loaded on demand, so that other commands start faster.
  const { startService } = await import("../server/start.ts");
  const service = await startService(config);
  boundHeapGrowth();
  try {
    terminal.out(`listening on ${service.url}\n`);
    terminal.out(`data folder ${resolve(config.data.dir)}\n`);
    const warnings = [cleartextWarning(config), otherRoleWarning("serve", terminal.environment)];
    for (const warning of warnings) if (warning !== null) terminal.out(`${warning}\n`);
    await printFirstSteps(service, terminal);
    const ingestReport = reportIngest(service, terminal);
    ingestReport.catch(() => undefined);
    const stopped = untilStopped(terminal.stopSignal);
    // A damaged catalog stops the server.
    await Promise.race([stopped, service.context.archive.verified().then(() => stopped)]);
    terminal.out(
      "stopping once running work has finished; send a second signal to stop immediately\n",
    );
    await ingestReport;
  } finally {
    await service.stop();
    exitSoon();
  }
}

/** A server whose disk is full continues, because it can still answer. */
async function printFirstSteps(service: Service, terminal: Terminal): Promise<void> {
  const earshot = earshotCommand(terminal);
  try {
    if (!(await hasKey(service)))
      terminal.out(`no API keys yet: create one with ${earshot} keys create --name NAME\n`);
    await offerFirstSignIn(service, terminal);
  } catch (error) {
    terminal.note(`no sign-in link: ${errorMessage(error)}; try ${earshot} sign-in later\n`);
  }
}

async function hasKey(service: Service): Promise<boolean> {
  return await service.context.store.read("hasLiveKey", { nowMs: systemClock.now() });
}

async function offerFirstSignIn({ context, url }: Service, terminal: Terminal): Promise<void> {
  const { config, store, clock, http } = context;
  if (http.dashboard.signIn.providers.length > 0) return;
  if (await store.read("hasOperator", null)) return;
  const { linkMs } = config.signIn;
  const nowMs = clock.now();
  const token = await store.write("makeSignInLink", {
    accountId: null,
    actor: "service",
    nowMs,
    expiresMs: nowMs + linkMs,
  });
  const link = signInLink(config.http.publicUrl ?? url, token);
  terminal.out(`dashboard: sign in once, within ${formatDuration(linkMs)}, with\n  ${link}\n`);
}

const ingestPollMs = 500;

async function reportIngest(service: Service, terminal: Terminal): Promise<void> {
  let lastSummary = "";
  let hasOffered = false;
  while (!terminal.stopSignal.aborted) {
    const state = service.context.http.ingest();
    if (state === null) {
      terminal.out("ingest: off\n");
      if (await isEmpty(service)) terminal.out(nextSteps("the archive is empty", terminal));
      return;
    }
    if (!hasOffered && isUnreachable(state)) {
      hasOffered = true;
      if (await isEmpty(service)) {
        terminal.out(nextSteps("the stream is unreachable, and the archive is empty", terminal));
        terminal.out("  EARSHOT_INGEST=off works offline, without retries\n");
      }
    }
    const summary = formatSummary(state);
    if (summary !== null && summary !== lastSummary) {
      terminal.out(`ingest: ${state.detail}\n`);
      lastSummary = summary;
    }
    await systemClock.sleep(ingestPollMs, terminal.stopSignal).catch(() => undefined);
  }
}

const isUnreachable = ({ status, detail, events }: StreamState): boolean =>
  status === "waiting" && events === 0 && detail.includes("next try");

/** True if the archive has no posts and no other stream could add any. */
async function isEmpty({ context }: Service): Promise<boolean> {
  if (context.http.mastodonStream() !== null) return false;
  const coverage = await context.archive.coverage();
  return !coverage.some(({ hasPosts }) => hasPosts);
}

const nextSteps = (reason: string, terminal: Terminal): string => {
  const earshot = earshotCommand(terminal);
  return (
    `${reason}:\n` +
    `  ${earshot} demo --keep serves a few hundred fictional posts to try it out\n` +
    `  ${earshot} import FILE --platform x adds posts from a file\n`
  );
};

const earshotCommand = ({ environment }: Terminal): string =>
  environment.npm_command === "exec" ? "npx earshot" : "earshot";

/** The state without numbers and server names; null during a reconnection attempt. */
function formatSummary({ status, detail }: { status: string; detail: string }): string | null {
  if (detail.endsWith("connecting")) return null;
  return `${status} ${detail.replace(/^waiting for [^:]*:/, "").replaceAll(/\d+/g, "#")}`;
}
