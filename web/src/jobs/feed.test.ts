import { beforeEach, describe, expect, test } from "vitest";
import { createJobFeed, type FeedEnvironment, type JobFeed } from "./feed.ts";
import type { JobFeedEvent, JobList, JobSummary } from "./job.ts";

type Stream = Parameters<FeedEnvironment["open"]>[0] & { isClosed: boolean };

let streams: Stream[];
let waits: { ms: number; act(): void }[];
let lists: ((list: JobList) => void)[];
let nowMs: number;
let feed: JobFeed;
let leave: () => void;

beforeEach(() => {
  streams = [];
  waits = [];
  lists = [];
  nowMs = 1_000_000;
  feed = createJobFeed({
    open: (handlers) => {
      const stream = { ...handlers, isClosed: false };
      streams.push(stream);
      return () => {
        stream.isClosed = true;
      };
    },
    listRunning: () => new Promise((resolve) => lists.push(resolve)),
    nowMs: () => nowMs,
    schedule: (ms, act) => {
      const wait = { ms, act };
      waits.push(wait);
      return () => {
        waits = waits.filter((each) => each !== wait);
      };
    },
  });
  leave = feed.subscribe(() => undefined);
});

const event = (uuid: string, status: JobFeedEvent["status"]): JobFeedEvent => ({
  uuid,
  status,
  attempts: 1,
  at: "2026-01-31T12:00:00.000Z",
});

// The feed reads no other fields.
const makeList = (...uuids: string[]): JobList => ({
  jobs: uuids.map((uuid) => ({ uuid, status: "in progress" }) as JobSummary),
  next_cursor: null,
});

const lastStream = (): Stream => streams.at(-1) as Stream;

async function open(...running: string[]): Promise<void> {
  lastStream().onOpen();
  lists.at(-1)?.(makeList(...running));
  await Promise.resolve();
  await Promise.resolve();
}

describe("running jobs", () => {
  test("running jobs are counted once the stream is open, then followed", async () => {
    expect(feed.getSnapshot().runningCount).toBeNull();
    await open("a", "b");
    expect(feed.getSnapshot().runningCount).toBe(2);
    lastStream().onJob(event("c", "received"));
    lastStream().onJob(event("c", "in progress"));
    lastStream().onJob(event("a", "done"));
    expect(feed.getSnapshot().runningCount).toBe(2);
  });

  test("jobs that end while the list loads are not counted as running", async () => {
    lastStream().onOpen();
    lastStream().onJob(event("a", "done"));
    lastStream().onJob(event("b", "received"));
    lists.at(-1)?.(makeList("a"));
    await Promise.resolve();
    await Promise.resolve();
    expect(feed.getSnapshot().runningCount).toBe(1);
  });
});

describe("an interrupted stream", () => {
  test("an interrupted stream of jobs is reported, retried with backoff, and cleared when restored", async () => {
    await open();
    lastStream().onError();
    expect(feed.getSnapshot().feed).toEqual({
      status: "stopped",
      sinceMs: nowMs,
      retryAtMs: nowMs + 1_000,
    });
    nowMs += 1_000;
    waits.at(-1)?.act();
    lastStream().onError();
    expect(feed.getSnapshot().feed).toMatchObject({
      sinceMs: nowMs - 1_000,
      retryAtMs: nowMs + 2_000,
    });
    waits.at(-1)?.act();
    await open();
    expect(feed.getSnapshot()).toMatchObject({ feed: { status: "live" }, openCount: 2 });
  });

  test("a stream of jobs that breaks soon after each opening is retried with backoff", async () => {
    const waitsMs: (number | undefined)[] = [];
    for (let openings = 0; openings < 3; openings += 1) {
      await open();
      lastStream().onError();
      waitsMs.push(waits[0]?.ms);
      waits[0]?.act();
    }
    expect(waitsMs).toEqual([1_000, 2_000, 4_000]);
  });

  test("a stream of jobs that lasted is reopened without a notice", async () => {
    await open();
    nowMs += 60_000;
    lastStream().onError();
    expect(feed.getSnapshot().feed.status).toBe("live");
    expect(waits.map(({ ms }) => ms)).toEqual([0]);
  });

  test("an interrupted stream of jobs is retried immediately when requested", async () => {
    await open();
    lastStream().onError();
    feed.retry();
    expect([streams.length, waits.length]).toEqual([2, 0]);
  });
});

test("one stream of jobs stays open while the tab is visible and has subscribers", async () => {
  const leaveToo = feed.subscribe(() => undefined);
  expect(streams).toHaveLength(1);
  feed.setVisible(false);
  expect(streams[0]?.isClosed).toBe(true);
  feed.setVisible(true);
  expect(streams).toHaveLength(2);
  leave();
  expect(streams[1]?.isClosed).toBe(false);
  leaveToo();
  expect(streams[1]?.isClosed).toBe(true);
});

test("the state of the jobs is discarded when the last subscriber leaves", async () => {
  await open("a");
  leave();
  expect(feed.getSnapshot()).toMatchObject({ runningCount: null, lastEvent: null });
});
