import type { CountMetric } from "@earshot/query/tree";
import type { RecheckState } from "./mastodon/recheck.ts";

export type ComponentStatus = "off" | "waiting" | "connected" | "paused";

export type IngestState = StreamState & {
  labelers: readonly LabelerState[];
  lookUp: AccountLookupState | null;
};

export type StreamState = {
  status: ComponentStatus;
  detail: string;
  host: string | null;
  liveSinceMs: number | null;
  lagMs: number | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  counted: Readonly<Record<CountMetric, number>>;
  badFrames: number;
  reconnects: number;
  waitingEvents: number;
};

export type MastodonStreamState = {
  status: ComponentStatus;
  detail: string;
  host: string;
  transport: "websocket" | "event-stream" | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  skipped: number;
  badFrames: number;
  reconnects: number;
  gaps: number;
  waitingEvents: number;
  caughtUp: number;
  recheck: RecheckState;
};

export type LabelerState = {
  status: ComponentStatus;
  detail: string;
  host: string;
  labels: number;
  passedOver: number;
  unreadable: number;
  reconnects: number;
};

export type AccountLookupState = {
  /** `connected` if the last request succeeded. */
  status: ComponentStatus;
  detail: string;
  found: number;
  missing: number;
  failures: number;
};

export const streamNotStarted: StreamState = {
  status: "waiting",
  detail: "starting",
  host: null,
  liveSinceMs: null,
  lagMs: null,
  lastEventMs: null,
  events: 0,
  posts: 0,
  deletes: 0,
  counted: { likes: 0, reposts: 0, replies: 0, quotes: 0 },
  badFrames: 0,
  reconnects: 0,
  waitingEvents: 0,
};
