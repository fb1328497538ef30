import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startImportThreads } from "../../ingest/analysis/import-threads.ts";
import { importFile } from "../../ingest/import/import-file.ts";
import { systemClock } from "../../lib/clock.ts";
import { formatDuration } from "../../lib/duration.ts";
import { isoText, isoTime } from "../../lib/iso-time.ts";
import { type Config, configFrom } from "../../server/config.ts";
import { type Service, startService } from "../../server/start.ts";
import { makeSignInLink } from "../accounts/sign-in.ts";
import { withControl } from "../accounts/with-control.ts";
import { readConfig } from "../settings.ts";
import { untilStopped } from "../terminal/signals.ts";
import { painter, type Terminal } from "../terminal/terminal.ts";
import { makeCorpus } from "./corpus.ts";
import { curlLine } from "./curl.ts";
import { corpusEndMs, showMainJob, submissionRequest } from "./main-job.ts";

export async function runDemo(options: { keep: boolean }, terminal: Terminal): Promise<void> {
  const address = options.keep ? readConfig(terminal).http : { host: "127.0.0.1", port: 0 };
  const folder = await mkdtemp(join(tmpdir(), "earshot-demo-"));
  const removeAtExit = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", removeAtExit);
  try {
    const config = demoConfig(folder, address);
    const service = await startService(config);
    try {
      await demonstrate(service, folder, config, options.keep, terminal);
    } finally {
      await service.stop();
    }
  } catch (thrown) {
    if (!terminal.stopSignal.aborted) throw thrown;
  } finally {
    await rm(folder, { recursive: true, force: true });
    process.off("exit", removeAtExit);
  }
}

function demoConfig(folder: string, { host, port }: { host: string; port: number }): Config {
  return configFrom({
    EARSHOT_DATA_DIR: join(folder, "data"),
    EARSHOT_HOST: host,
    EARSHOT_PORT: String(port),
    EARSHOT_INGEST: "off",
    EARSHOT_LOG_LEVEL: "warn",
  });
}

/** The demo exceeds the default. */
const requestsPerSecond = 50;

async function demonstrate(
  service: Service,
  folder: string,
  config: Config,
  keep: boolean,
  terminal: Terminal,
): Promise<void> {
  const { bold, dim, accent } = painter(terminal);
  const startMs = systemClock.elapsed();
  const nowMs = atHalfSecond(systemClock.now());
  const corpus = makeCorpus(nowMs);
  const postCount = [...corpus.values()].flat().length;
  terminal.out(introduction(postCount, terminal));
  terminal.out(`${accent("0  A service, posts, and a key.")}\n\n`);
  terminal.out(`${bold("$ earshot serve")}\n${dim(`listening on ${service.url}`)}\n\n`);
  await importCorpus(corpus, service, { folder, nowMs }, terminal);
  const { token: key } = await withControl(config, (control) =>
    control.run("createKey", {
      name: "demo",
      accountName: null,
      requestsPerSecond,
      submissionsPerMinute: null,
      nowMs,
    }),
  );
  terminal.out(
    `${bold(`$ KEY=$(earshot keys create --name demo --requests-per-second ${requestsPerSecond})`)}\n`,
  );
  terminal.out(`${dim(key)}\n\n`);
  await showMainJob(service.url, key, nowMs, terminal);
  const seconds = (systemClock.elapsed() - startMs) / 1000;
  if (keep) await keepRunning(service, key, config, terminal);
  else terminal.out(nextSteps(seconds));
}

/** Keeps post times off whole seconds, whose format differs. */
const atHalfSecond = (ms: number): number => Math.floor(ms / 1000) * 1000 - 500;

function introduction(posts: number, terminal: Terminal): string {
  const { bold } = painter(terminal);
  return [
    `${bold("Earshot demo")}: the whole service in a temporary folder, with no network or account.`,
    `Its archive has ${posts} posts from a fictional town, written for this demo; all people in them are fictional.`,
    "Responses are shown as curl prints them, without some header fields and with the JSON indented.",
    "",
    "",
  ].join("\n");
}

async function importCorpus(
  corpus: ReturnType<typeof makeCorpus>,
  service: Service,
  { folder, nowMs }: { folder: string; nowMs: number },
  terminal: Terminal,
): Promise<void> {
  const { bold, dim } = painter(terminal);
  const { archive } = service.context;
  const analysis = startImportThreads(archive.preparation, 1);
  for (const [platform, records] of corpus) {
    const name = `${platform}.ndjson`;
    const file = join(folder, name);
    await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    const times = records.map((record) => Date.parse(record.created_at));
    const coveredSpan = {
      fromMs: Math.floor(Math.min(...times) / 86_400_000) * 86_400_000,
      toMs: corpusEndMs(nowMs),
    };
    const summary = await importFile({
      archive,
      analysis,
      clock: systemClock,
      file,
      standardInput: process.stdin,
      platform,
      dataDir: folder,
      covers: coveredSpan,
      onBadLine: "stop",
      limits: configFrom({}).import,
      signal: terminal.stopSignal,
    });
    const span = `${isoTime(coveredSpan.fromMs).slice(0, 10)}..${isoText(coveredSpan.toMs)}`;
    terminal.out(`${bold(`$ earshot import ${name} --platform ${platform} --covers ${span}`)}\n`);
    terminal.out(`${dim(`${summary.imported} imported, ${summary.rejected} rejected`)}\n`);
  }
  await archive.finishImport();
  await analysis.close();
  terminal.out("\n");
}

async function keepRunning(
  service: Service,
  key: string,
  config: Config,
  terminal: Terminal,
): Promise<void> {
  const { bold } = painter(terminal);
  terminal.out(
    `${bold("The demo keeps running")} at ${service.url} until you stop it with Ctrl-C, which deletes the posts.\n\n`,
  );
  terminal.out(
    `Sign in to the dashboard with this link, valid once within ${formatDuration(config.signIn.linkMs)}:\n${await makeSignInLink(config, service.url)}\n\n`,
  );
  terminal.out(`KEY=${key}\n`);
  for (const query of ["aurora -from:halden_demo", "東京 OR 오로라", "? lang:en"]) {
    terminal.out(
      `${curlLine(service.url, submissionRequest("searchbyfullarchive", query, 10)).slice(2)}\n`,
    );
  }
  const result = { method: "GET", path: "/v1/search/live/social/result/UUID?wait=10" } as const;
  terminal.out(`${curlLine(service.url, result).slice(2)}\n`);
  await untilStopped(terminal.stopSignal);
}

function nextSteps(seconds: number): string {
  return [
    `Done in ${seconds.toFixed(1)} s; all files are deleted. What to try next:`,
    "",
    "  npm run demo -- --keep              keep the demo running for curl and the dashboard",
    "  npx earshot serve                   your own archive, filled from Bluesky's public stream",
    "  npx earshot keys create --name me   a key for it",
    "  npx earshot import FILE --platform x",
    "  npx earshot explain 'lang:en cats OR dogs -filter:retweets'",
    "",
    "Next: README.md; docs/query-language.md lists all operators, docs/api.md all endpoints.",
    "",
  ].join("\n");
}
