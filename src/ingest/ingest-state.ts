import type { CountMetric } from "../query/tree.ts";
import type { RecheckState } from "./mastodon/recheck.ts";

export type PartStatus = "off" | "waiting" | "connected" | "paused";

/** What live ingestion does: the stream, and beside it the labelers and the look-up of accounts. */
export type IngestState = StreamState & {
  labelers: readonly LabelerState[];
  lookUp: LookUpState | null;
};

export type StreamState = {
  status: PartStatus;
  /** One line for people. */
  detail: string;
  host: string | null;
  /** When the open connection was opened, Unix milliseconds; null while there is none that is read and written down. */
  liveSinceMs: number | null;
  /** How far the last event lies back; null before the first. */
  lagMs: number | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  /** What was added to the counts of posts. */
  counted: Readonly<Record<CountMetric, number>>;
  badFrames: number;
  reconnects: number;
  /** Events that wait to be written. */
  waitingEvents: number;
};

/** What the public stream of a Mastodon server does. */
export type MastodonStreamState = {
  status: PartStatus;
  detail: string;
  /** The server that is configured. */
  host: string;
  /** How the events come; null until a connection was open. */
  transport: "websocket" | "event-stream" | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  /** Posts and edits of posts that may not be found by strangers. */
  leftOut: number;
  /** Events that could not be read. */
  badFrames: number;
  reconnects: number;
  /** Stretches of time, between two events, of which something may be missing. */
  gaps: number;
  waitingEvents: number;
  /** Posts that the server's timeline gave after gaps. */
  caughtUp: number;
  recheck: RecheckState;
};

export type LabelerState = {
  status: PartStatus;
  detail: string;
  host: string;
  /** Labels taken, and those that were not: of sources that are not believed, or on what is not held. */
  labels: number;
  passedOver: number;
  /** Frames and labels that could not be read. */
  unreadable: number;
  reconnects: number;
};

export type LookUpState = {
  /** `connected` while the last request was answered. */
  status: PartStatus;
  detail: string;
  /** Accounts that were asked for: those that were told of, and those that were not. */
  found: number;
  missing: number;
  /** Requests that failed. */
  failures: number;
};

/** The state of a stream of which nothing is known yet. */
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
