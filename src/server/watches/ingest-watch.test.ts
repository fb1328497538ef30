import { expect, test } from "vitest";
import {
  type IngestState,
  type MastodonStreamState,
  streamNotStarted,
} from "../../ingest/ingest-state.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { watchIngest } from "./ingest-watch.ts";

test("each status change of a stream is logged once, regardless of its detail", async () => {
  const clock = createManualClock();
  const logEntries: unknown[] = [];
  const stopController = new AbortController();
  const state: IngestState = { ...streamNotStarted, labelers: [], lookUp: null };
  let ingestState: IngestState | null = null;
  let mastodon: MastodonStreamState | null = null;
  const watchPromise = watchIngest({
    state: () => ingestState,
    mastodonState: () => mastodon,
    clock,
    log: { info: (fields: unknown) => logEntries.push(fields) } as never,
    signal: stopController.signal,
  });
  await clock.advance(1_000);
  expect(logEntries).toEqual([]);
  ingestState = state;
  await clock.advance(1_000);
  ingestState = { ...state, detail: "next try in 3 s" };
  await clock.advance(1_000);
  ingestState = { ...state, status: "paused", detail: "waiting for the archive" };
  await clock.advance(3_000);
  expect(logEntries).toEqual([
    { part: "stream", status: "waiting", detail: "starting" },
    { part: "stream", status: "paused", detail: "waiting for the archive" },
  ]);
  mastodon = mastodonStream;
  await clock.advance(2_000);
  expect(logEntries.slice(2)).toEqual([
    { part: "stream of a.example", status: "connected", detail: "connected to a.example" },
  ]);
  stopController.abort();
  await watchPromise;
});

const mastodonStream: MastodonStreamState = {
  status: "connected",
  detail: "connected to a.example",
  host: "a.example",
  transport: "websocket",
  lastEventMs: null,
  events: 0,
  posts: 0,
  deletes: 0,
  skipped: 0,
  badFrames: 0,
  reconnects: 0,
  gaps: 0,
  waitingEvents: 0,
  caughtUp: 0,
  recheck: { isPending: false, checked: 0, removed: 0 },
};
