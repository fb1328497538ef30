import type { CoveredAnswer } from "../archive/archive.ts";
import { openArchive } from "../archive/open.ts";
import { type PlatformQuery, platformQuery } from "../archive/platform-query.ts";
import { systemClock } from "../lib/clock.ts";
import { type Platform, platforms } from "../posts/post.ts";
import { makePlan, namesIn, type ResolvedNames } from "../query/make-plan.ts";
import type { PlanNode } from "../query/plan.ts";
import type { QueryNode } from "../query/tree.ts";
import { type IdBounds, splitWindow, type TimeWindow } from "../query/window.ts";
import { readConfig, requireDataDir } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** The steps of a search, in their order; `open` starts the reader's thread and opens the archive's catalog. */
export const steps = ["parse", "open", "resolve", "plan", "search", "fetch"] as const;
type Step = (typeof steps)[number];

/** One run of a query and what it took. */
export type Analysis = {
  plan: PlanNode;
  names: ResolvedNames;
  /** What all matches lie in. */
  bounds: TimeWindow & IdBounds;
  /** What each platform's segments are asked; null where none of its posts can match. */
  asked: readonly { platform: Platform; query: PlatformQuery | null }[];
  limit: number;
  answer: CoveredAnswer;
  tookMs: Readonly<Record<Step, number>>;
};

/** Of how many opened segments the cost is told. */
const segmentsTold = 50;

/**
 * Runs a query on the archive of the data folder as `earshot search` does: all platforms, newest first, within the same deadline.
 * Throws `no_archive` when there is none.
 */
export async function analyze(
  { tree, parseMs, limit }: { tree: QueryNode; parseMs: number; limit: number },
  terminal: Terminal,
): Promise<Analysis> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const { dir, readers, segmentPosts } = config.data;
  const tookMs = { parse: parseMs, open: 0, resolve: 0, plan: 0, search: 0, fetch: 0 };
  const timed = async <Result>(
    step: Step,
    run: () => Result | Promise<Result>,
  ): Promise<Result> => {
    const startedAt = systemClock.elapsed();
    const result = await run();
    tookMs[step] = systemClock.elapsed() - startedAt;
    return result;
  };
  const archive = await timed("open", async () => {
    const opened = await openArchive({ dataDir: dir, readers, segmentPosts, clock: systemClock });
    // A thread starts with its first call.
    await opened.coverage();
    return opened;
  });
  try {
    const names = await timed("resolve", () => archive.resolve(namesIn(tree)));
    const plan = await timed("plan", () => makePlan(tree, { names, asOfMs: systemClock.now() }));
    const request = {
      plan,
      platforms,
      fromMs: null,
      toMs: null,
      after: null,
      limit,
      deadlineMs: systemClock.now() + config.jobs.deadlineMs,
      segmentsTold,
    };
    const answer = await timed("search", () => archive.search(request, terminal.stopping));
    await timed("fetch", () => archive.records(answer.positions));
    const { conjuncts, ...bounds } = splitWindow(plan, request);
    const asked = platforms.map((platform) => ({
      platform,
      query: platformQuery(platform, { conjuncts, ...bounds }),
    }));
    return { plan, names, bounds, asked, limit, answer, tookMs };
  } finally {
    await archive.close();
  }
}
