import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { openArchive } from "../../archive/threads/open.ts";
import { backfillAuthors } from "../../ingest/backfill/backfill-authors.ts";
import { systemClock } from "../../lib/clock.ts";
import { stripControls } from "../../lib/controls.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Config } from "../../server/config.ts";
import { wrongUse } from "../describe-error.ts";
import { readConfig } from "../settings.ts";
import { startReports } from "../terminal/progress-reports.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { BackfillOptions } from "./backfill.ts";
import { openOutgoingAccess } from "./backfill-access.ts";
import { accountAsText, accountResultAsJson, roundedText } from "./show-account-result.ts";

export async function backfillAccounts(
  options: BackfillOptions,
  terminal: Terminal,
): Promise<void> {
  const authors = await readAuthors(options);
  const config = readConfig(terminal);
  const { dir, ...settings } = config.data;
  const archive = await openArchive({ dataDir: dir, ...settings, clock: systemClock });
  const reports = startReports(terminal, systemClock, "backfill");
  const access = openOutgoingAccess(config, terminal.stopSignal, (line) => reports.note(line));
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  let failedCount = 0;
  try {
    await backfillAuthors({
      archive,
      clock: systemClock,
      directory: {
        fetch: access.fetch,
        resolveTxt: (name) => resolver.resolveTxt(name),
        appviewUrl: config.ingest.appviewUrl,
        plcUrl: config.backfill.plcUrl,
      },
      limits: config.backfill,
      labeler: options.labels ? makeLabeler(config) : null,
      ignoresProgress: options.again === true,
      signal: terminal.stopSignal,
      authors,
      accountsAtOnce: config.backfill.accountsAtOnce,
      onProgress: ({
        finishedAuthors,
        totalAuthors: total,
        posts,
        author,
        authorPosts,
        bytesRead,
      }) =>
        reports.update({
          done: finishedAuthors,
          total,
          detail: `${finishedAuthors} of ${total} accounts, ${roundedText(posts)} posts; ${stripControls(author)}: ${
            authorPosts > 0
              ? `${roundedText(authorPosts)} posts`
              : `${roundedText(bytesRead / 1024)} kB`
          }`,
        }),
      onAuthor: (result) => {
        if ("error" in result) failedCount += 1;
        reports.print(options.json ? accountResultAsJson(result) : accountAsText(result));
      },
    });
  } finally {
    reports.end();
    resolver.cancel();
    await access.close();
    await archive.close();
  }
  if (failedCount > 0) throw incompleteError(failedCount, authors.length);
}

async function readAuthors({ author, authorsFile }: BackfillOptions): Promise<string[]> {
  const names = [...(author ?? [])];
  if (authorsFile !== undefined) {
    const lines = (
      authorsFile === "-" ? await text(process.stdin) : await readFile(authorsFile, "utf8")
    )
      .split("\n")
      .map((line) => line.replace(/#.*$/, "").trim());
    names.push(...lines.filter((line) => line !== ""));
  }
  const authors = [...new Set(names.map((name) => name.replace(/^@/, "")))];
  if (authors.length === 0) {
    throw wrongUse("the file lists no accounts", "write one handle or DID per line");
  }
  return authors;
}

function makeLabeler({ ingest }: Config): { url: string; sources: readonly string[] } | null {
  const [stream] = ingest.labelerUrls;
  if (stream === undefined || ingest.labelerSources.length === 0) return null;
  const url = new URL(stream);
  url.protocol = url.protocol === "ws:" ? "http:" : "https:";
  return { url: url.origin, sources: ingest.labelerSources };
}

function incompleteError(failedCount: number, totalCount: number): EarshotError {
  return new EarshotError(
    "backfill_incomplete",
    `${failedCount} of ${totalCount} accounts failed`,
    {
      hint: "run the command again; each unchanged account takes only one request",
    },
  );
}
