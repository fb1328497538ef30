import type { Upstream } from "../../platforms/upstream.ts";
import type { Platform } from "../../posts/post.ts";
import type { ArchiveSource } from "../../search/archive/search.ts";
import { createIngestRole, createLiveSince, type IngestRole } from "../roles/ingest.ts";
import { createUpstreamRole, type UpstreamRole } from "../roles/upstreams.ts";
import { streamedPlatforms } from "../streamed-platforms.ts";
import type { Base } from "./base.ts";

export type Search = {
  readonly ingest: IngestRole;
  readonly source: ArchiveSource;
  readonly upstreams: UpstreamRole;
};

export function makeSearch(
  { config, store, secrets, archive, clock, random, events }: Base,
  overrides: Partial<Record<Platform, Upstream>> = {},
): Search {
  const ingest = createIngestRole(config);
  const source = {
    archive,
    clock,
    streamedPlatforms: streamedPlatforms(config),
    coverageSlackMs: config.ingest.coverageSlackMs,
    freshness: ingest.freshness,
    liveSinceMs: createLiveSince(ingest),
  };
  const upstreams = createUpstreamRole({
    config,
    store,
    secretKey: secrets.secretKey,
    source,
    clock,
    random,
    onOutcome: (platform, outcome) => events.emit("upstreamRequested", { platform, outcome }),
    overrides,
  });
  events.on("accountDeleted", ({ accountId }) => upstreams.forgetAccount(accountId));
  return { ingest, source, upstreams };
}
