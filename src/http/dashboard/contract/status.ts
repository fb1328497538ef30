import type { Platform } from "../../../posts/post.ts";
import type { InsecureEvidence } from "./session.ts";
import type { UsageRange } from "./usage.ts";

/** GET /dashboard/api/status. */
export type StatusResponse = {
  range: UsageRange;
  from: string;
  to: string;
  platforms: readonly PlatformStatus[];
  archive: {
    posts: number;
    segments: number;
    bytes: number;
    max_bytes: number;
    oldest_at: string | null;
    newest_at: string | null;
    /** Posts hidden by an account state or a label. */
    hidden: number;
    max_age_ms: number | null;
    free_disk_bytes: number | null;
  };
  nodes: readonly NodeStatusResponse[];
  queue: { waiting: number };
};
export type PlatformStatus = {
  platform: Platform;
  /**
   * `streamed`: a stream feeds the archive. `live`: searched live. `archived`: archived posts exist,
   * but no source adds any. `off`: none of these.
   */
  mode: "streamed" | "live" | "archived" | "off";
  stream: {
    status: "off" | "waiting" | "connected" | "paused";
    detail: string;
    host: string | null;
    lag_ms: number | null;
    posts_per_second: number | null;
  } | null;
  posts: number;
  /** Within the range. Time before the first interval is not a gap. */
  coverage: {
    held: readonly { from: string; to: string; source: string }[];
    gaps: readonly { from: string; to: string }[];
    complete_since: string | null;
  };
  /** Posts in 144 equal parts of the range, oldest first; null while they are counted. */
  received: readonly number[] | null;
  /** Maximum lag per part of the range; empty if no stream reports it. */
  lag: readonly { at: string; lag_ms: number }[];
};
export type NodeStatusResponse = {
  id: string;
  name: string;
  evidence: "tdx" | InsecureEvidence;
  proves: string;
  does_not_prove: string;
  /** Only `approved` nodes get work; `pending` ones wait for an operator. */
  state: "approved" | "pending" | "draining" | "quarantined";
  is_connected: boolean;
  /** Whether it runs only jobs that no other node can run. */
  is_spare: boolean;
  platforms: readonly Platform[];
  running: number;
  concurrency: number;
  connected_at: string | null;
  attested_at: string | null;
  seen_at: string | null;
  quarantine: { reason: string; until: string | null } | null;
  jobs: number;
  jobs_failed: number;
};
