import type { Logger } from "pino";
import type { Limiter } from "../accounts/limiter.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { Archive } from "../archive/archive.ts";
import type { IngestState, MastodonStreamState } from "../ingest/ingest-state.ts";
import type { JobQueue } from "../jobs/queue.ts";
import type { Webhooks } from "../jobs/webhooks/webhooks.ts";
import type { Clock } from "../lib/clock.ts";
import type { Sources } from "../platforms/answer/sources.ts";
import type { CountsRequest, SourceCounts } from "../platforms/archive/count.ts";
import type { Platform } from "../posts/post.ts";
import type { Metrics } from "./metrics.ts";

/** The settings that the routes look at. */
type HttpSettings = {
  /** The key of requests to the node that bring none; null keeps them out. */
  openNodeKey: string | null;
  maxBodyBytes: number;
  maxConnections: number;
  maxHeaderBytes: number;
  requestTimeoutMs: number;
  idleTimeoutMs: number;
  maxHeldRequests: number;
  maxStreamMs: number;
  maxReadWaitMs: number;
  trustedProxies: readonly string[];
  liveWindowMs: number;
  maxLiveQueryLength: number;
  maxArchiveQueryLength: number;
  countDeadlineMs: number;
  maxCountBuckets: number;
  /** How much later than its deadline a job may still end. */
  deadlineGraceMs: number;
};

/** Everything that the HTTP app needs, made in one place (server/context.ts). */
export type HttpContext = {
  settings: HttpSettings;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  limiter: Limiter;
  /** Accounts, keys, sessions and what is kept of them. */
  accounts: AccountStore;
  cursorKey: Uint8Array;
  jobs: Pick<
    JobQueue,
    "submit" | "replayOf" | "find" | "isUnderWay" | "waitForEnd" | "cancel" | "list" | "changes"
  >;
  webhooks: Webhooks;
  archive: Pick<Archive, "records" | "page" | "withheld">;
  /** Which platforms can be asked, and for what. */
  sources: Sources;
  /** The posts that an account was shown under an ID that the archive does not know. */
  fetchedPosts(
    accountId: string,
    id: bigint,
  ): Promise<readonly { platform: Platform; uri: string }[]>;
  /** Counts posts of the archive until a deadline, Unix milliseconds. */
  countPosts(request: CountsRequest, deadlineMs: number): Promise<SourceCounts>;
  /** State of the live stream; null when it is off. */
  ingest(): IngestState | null;
  /** State of the stream of a Mastodon server; null when it is off. */
  mastodonStream(): MastodonStreamState | null;
  /** Whether a reader of the archive answers. */
  readerAnswers(): Promise<boolean>;
  /** Whether the control store cannot be written for want of space. */
  isStoreFull(): boolean;
  /** A fresh UUID. */
  newId(): string;
};
