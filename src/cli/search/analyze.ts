import { extractBounds, makePlan, namesIn } from "@earshot/query/plan";
import type { QueryNode } from "@earshot/query/tree";
import { platformQuery } from "../../archive/read/platform-query.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { platforms } from "../../posts/post.ts";
import { readConfig, requireDataDir } from "../settings.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Analysis, AnalysisStep } from "./analysis.ts";

const maxListedSegments = 50;

/** Errors: `no_archive`. */
export async function analyze(
  { tree, parseMs, limit }: { tree: QueryNode; parseMs: number; limit: number },
  terminal: Terminal,
): Promise<Analysis> {
  const config = readConfig(terminal);
  requireDataDir(config);
  const { dir, readers, segmentPosts } = config.data;
  const tookMs = { parse: parseMs, open: 0, resolve: 0, plan: 0, search: 0, fetch: 0 };
  const timeStep = async <Result>(
    step: AnalysisStep,
    run: () => Result | Promise<Result>,
  ): Promise<Result> => {
    const startMs = systemClock.elapsed();
    const result = await run();
    tookMs[step] = systemClock.elapsed() - startMs;
    return result;
  };
  const archive = await timeStep("open", async () => {
    const openedArchive = await openArchive({
      dataDir: dir,
      readers,
      segmentPosts,
      clock: systemClock,
    });
    // The first call starts the thread, which belongs to this step.
    await openedArchive.coverage();
    return openedArchive;
  });
  try {
    const names = await timeStep("resolve", () => archive.resolve(namesIn(tree)));
    const plan = await timeStep("plan", () => makePlan(tree, { names, asOfMs: systemClock.now() }));
    const request = {
      plan,
      platforms,
      fromMs: null,
      toMs: null,
      after: null,
      limit,
      deadlineMs: systemClock.now() + config.jobs.deadlineMs,
      maxListedSegments,
    };
    const answer = await timeStep("search", () => archive.search(request, terminal.stopSignal));
    await timeStep("fetch", () => archive.records(answer.positions));
    const { conjuncts, ...bounds } = extractBounds(plan, request);
    const queries = platforms.map((platform) => ({
      platform,
      query: platformQuery(platform, { conjuncts, ...bounds }),
    }));
    return { plan, names, bounds, queries, limit, answer, tookMs };
  } finally {
    await archive.close();
  }
}
