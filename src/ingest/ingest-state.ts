import type { CountMetric } from "../query/tree.ts";
import type { RecheckState } from "./mastodon/recheck.ts";

export type PartStatus = "off" | "waiting" | "connected" | "paused";

/** State of live ingestion: the stream, the labelers and the account lookup. */
export type IngestState = StreamState & {
  labelers: readonly LabelerState[];
  lookUp: LookUpState | null;
};

export type StreamState = {
  status: PartStatus;
  /** One readable line. */
  detail: string;
  host: string | null;
  /** When the open connection was opened, Unix milliseconds; null unless frames are read and written. */
  liveSinceMs: number | null;
  /** Age of the last event; null before the first. */
  lagMs: number | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  /** Increments of post counts. */
  counted: Readonly<Record<CountMetric, number>>;
  badFrames: number;
  reconnects: number;
  /** Events that wait to be written. */
  waitingEvents: number;
};

/** State of the public stream of a Mastodon server. */
export type MastodonStreamState = {
  status: PartStatus;
  detail: string;
  /** The configured server. */
  host: string;
  /** Null until a connection was open. */
  transport: "websocket" | "event-stream" | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  /** Posts and edits of posts that may not be indexed. */
  leftOut: number;
  /** Unreadable events. */
  badFrames: number;
  reconnects: number;
  /** Times between two events in which events may be missing. */
  gaps: number;
  waitingEvents: number;
  /** Posts read from the server's timeline after gaps. */
  caughtUp: number;
  recheck: RecheckState;
};

export type LabelerState = {
  status: PartStatus;
  detail: string;
  host: string;
  /** Labels accepted, and labels skipped: from untrusted sources, or on subjects that are not stored. */
  labels: number;
  passedOver: number;
  /** Unreadable frames and labels. */
  unreadable: number;
  reconnects: number;
};

export type LookUpState = {
  /** `connected` if the last request succeeded. */
  status: PartStatus;
  detail: string;
  /** Requested accounts that were returned, and those that were not. */
  found: number;
  missing: number;
  /** Failed requests. */
  failures: number;
};

/** The state of a stream before its start. */
export const streamNotStarted: StreamState = {
  status: "waiting",
  detail: "waiting for its start",
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
