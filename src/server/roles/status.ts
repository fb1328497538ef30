import type { Archive } from "../../archive/archive.ts";
import type { EmbeddedNode } from "../../http/dashboard/node-status.ts";
import { createStatusBoard, type StatusBoard } from "../../http/dashboard/status-board.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Platform } from "../../posts/post.ts";
import type { NodeView } from "../../remote/gateway/gateway.ts";
import type { SourceAvailability } from "../../search/sources.ts";
import type { Config } from "../config.ts";
import type { Control } from "../control/control.ts";
import { streamedPlatforms } from "../streamed-platforms.ts";
import { readDiskSpace } from "../watches/disk.ts";
import { createLiveSince, type IngestRole } from "./ingest.ts";
import type { UsageRole } from "./usage.ts";

export type StatusContext = {
  config: Config;
  archive: Archive;
  store: Control["store"];
  clock: Clock;
  ingest: IngestRole;
  sampler: UsageRole["sampler"];
  sources: SourceAvailability;
  waitingJobs(): number;
  embedded(): EmbeddedNode;
  nodes(): readonly NodeView[];
};

export function createStatus(context: StatusContext): StatusBoard {
  const { config, archive, store, clock, ingest, sampler, sources } = context;

  /** Only access that is open to every account counts. */
  async function isSearchedLive(platform: Platform): Promise<boolean> {
    const outcome = await sources.answerable({
      platform,
      type: "social",
      method: "gettweets",
      accountId: "",
      target: null,
    });
    return outcome.ok && outcome.usesUpstream;
  }

  return createStatusBoard({
    archive,
    clock,
    settings: {
      cacheMs: config.usage.statusCacheMs,
      coverageSlackMs: config.ingest.coverageSlackMs,
      maxAgeMs: config.data.maxAgeMs,
    },
    streamedPlatforms: streamedPlatforms(config),
    liveSinceMs: createLiveSince(ingest),
    isSearchedLive,
    blueskyStream: ingest.state,
    mastodonStream: ingest.mastodonState,
    postsPerSecond: sampler.postsPerSecond,
    lags: (fromMs, widthMs) => store.read("ingestLags", { fromMs, widthMs }),
    freeDiskBytes: async () => (await readDiskSpace(config.data.dir))?.freeBytes ?? null,
    waitingJobs: context.waitingJobs,
    embedded: context.embedded,
    nodes: context.nodes,
  });
}
