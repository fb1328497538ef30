import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createMemoryArchive,
  type MemoryArchive,
} from "../../../testkit/archives/memory-archive.ts";
import { mountStreams } from "../../../testkit/emulators/mastodon/mounted-streams.ts";
import type { EmulatorOptions } from "../../../testkit/emulators/mastodon/options.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import type { Streaming } from "../../../testkit/emulators/mastodon/streaming.ts";
import { systemClock } from "../../lib/clock.ts";
import type { MastodonStreamSettings } from "./settings.ts";
import { type MastodonStream, startMastodonStream } from "./stream.ts";

const eventually = (assertion: () => void): Promise<void> =>
  vi.waitFor(assertion, { interval: 2, timeout: 5_000 });

let emulator: MastodonEmulator;
let streams: Streaming;
let archive: MemoryArchive;
let stream: MastodonStream | null = null;
let token: string;
let ann: string;
let aheadMs = 0;
let loggedLines: unknown[];

async function serve(options: EmulatorOptions = {}): Promise<void> {
  emulator = await startMastodonEmulator({
    rateLimit: { requests: 100_000, pagingRequests: 100_000, windowMs: 300_000 },
    now: () => Date.now() + aheadMs,
    ...options,
  });
  streams = mountStreams(emulator);
  ann = emulator.network.addAccount({ username: "ann", domain: "other.example" }).id;
  const reader = emulator.network.addAccount({ username: "reader" });
  token = emulator.addToken({ accountId: reader.id }).token;
}

beforeEach(() => {
  archive = createMemoryArchive();
  aheadMs = 0;
  loggedLines = [];
});
afterEach(async () => {
  await stream?.stop();
  stream = null;
  streams.close();
  await emulator.close();
});

async function start(settings: Partial<MastodonStreamSettings> = {}): Promise<MastodonStream> {
  const running = startMastodonStream({
    archive,
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    random: () => 0.5,
    findToken: async () => token,
    log: { info: () => {}, warn: (...line) => loggedLines.push(line) },
    settings: {
      server: emulator.url,
      stream: "public",
      privateHosts: [],
      silenceMs: 600_000,
      idleTimeoutMs: 30_000,
      minBackoffMs: 1,
      maxBackoffMs: 4,
      batchEvents: 100,
      batchMs: 1,
      quietBatchMs: 1,
      maxWaitingEvents: 1_000,
      maxFrameBytes: 100_000,
      handshakeTimeoutMs: 5_000,
      fetchTimeoutMs: 5_000,
      maxResponseBytes: 100_000,
      userAgent: "earshot/test",
      requestsPerMinute: 60_000_000,
      catchUpStatuses: 1_000,
      recheckRecentMs: 86_400_000,
      recheckAgeMs: 7 * 86_400_000,
      ...settings,
    },
  });
  stream = running;
  await eventually(() => expect(running.state().status).toBe("connected"));
  return running;
}

const post = (text: string): string => emulator.network.addStatus({ accountId: ann, text }).id;
const texts = (): string[] => [...archive.posts.values()].map(({ text }) => text).toSorted();
const waitForTexts = (...expected: string[]): Promise<void> =>
  eventually(() => expect(texts()).toEqual(expected.toSorted()));
const requestsTo = (path: string) => emulator.requests.filter((request) => request.path === path);

async function whileDisconnected(change: () => void): Promise<void> {
  streams.isUnavailable = true;
  streams.cut();
  await eventually(() => expect(stream?.state().status).toBe("waiting"));
  aheadMs += 5_000;
  change();
  streams.isUnavailable = false;
  await eventually(() => expect(stream?.state().status).toBe("connected"));
}
const waitUntilCompared = (): Promise<void> =>
  eventually(() => expect(stream?.state().recheck.isPending).toBe(false));

describe.each([
  ["Mastodon", {}],
  ["a server that returns one status at a time", { dialect: "gotosocial-like" }],
] as const)("a stream after a disconnection from %s", (_name, options) => {
  beforeEach(() => serve({ ...options, differences: { noIndexable: false } }));

  test("after a disconnection, the archive has the posts, deletions and edits made during it", async () => {
    const { state, confirms } = await start();
    const deleted = post("to be deleted");
    const edited = post("to be edited");
    post("unchanged");
    await waitForTexts("unchanged", "to be deleted", "to be edited");
    await whileDisconnected(() => {
      emulator.network.deleteStatus(deleted);
      emulator.network.editStatus(edited, { text: "edited" });
      post("missed");
    });
    await waitForTexts("unchanged", "edited", "missed");
    await waitUntilCompared();
    expect(state()).toMatchObject({ recheck: { removed: 1 } });
    expect(state().detail).not.toContain("comparing");
    for (const other of archive.posts.values()) expect(confirms(archive.idOf(other))).toBe(true);
  });

  test("after a disconnection, an account that withdrew its consent is hidden", async () => {
    await start();
    post("one");
    await waitForTexts("one");
    await whileDisconnected(() => {
      const account = emulator.network.accounts.get(ann);
      if (account !== undefined) account.indexable = false;
    });
    await eventually(() =>
      expect([...archive.statuses]).toContainEqual([`${ann}@${emulator.host}`, "opted-out"]),
    );
    expect(texts()).toEqual(["one"]);
  });
});

describe("a stream after a disconnection", () => {
  beforeEach(() => serve());

  test("after a disconnection, no stored post is confirmed until it has been compared", async () => {
    const { state, confirms } = await start();
    post("one");
    await waitForTexts("one");
    await waitUntilCompared();
    const [one] = archive.posts.values();
    const id = one === undefined ? 0n : archive.idOf(one);
    expect(confirms(id)).toBe(true);
    emulator.settings.faults.nextResponses = Array.from({ length: 40 }, () => ({ status: 503 }));
    streams.isUnavailable = true;
    streams.cut();
    await eventually(() => expect(state().status).toBe("waiting"));
    expect(confirms(id)).toBe(false);
    aheadMs += 5_000;
    emulator.settings.faults.nextResponses = [];
    streams.isUnavailable = false;
    await eventually(() => expect(confirms(id)).toBe(true));
  });

  test("after a disconnection, the timeline is read page by page, starting before the gap", async () => {
    await start();
    post("before");
    await waitForTexts("before");
    const missed = Array.from({ length: 100 }, (_, n) => `missed ${n}`);
    await whileDisconnected(() => missed.forEach(post));
    await waitForTexts("before", ...missed);
    expect(stream?.state().caughtUp).toBeGreaterThanOrEqual(100);
    expect(requestsTo("/api/v1/timelines/public").length).toBeGreaterThanOrEqual(3);
  });

  test("posts missed while Earshot was not running are read", async () => {
    await start();
    const deleted = post("deleted");
    post("before");
    await waitForTexts("before", "deleted");
    await stream?.stop();
    aheadMs += 60_000;
    emulator.network.deleteStatus(deleted);
    post("missed");
    await start();
    await waitForTexts("before", "missed");
  });

  test("at most the configured number of missed posts is read, and the limit is logged", async () => {
    await start({ catchUpStatuses: 40 });
    post("before");
    await waitForTexts("before");
    await whileDisconnected(() =>
      Array.from({ length: 200 }, (_, n) => `missed ${n}`).forEach(post),
    );
    await eventually(() => expect(JSON.stringify(loggedLines)).toContain("more than 40 statuses"));
    expect(stream?.state().caughtUp).toBe(40);
  });

  test("no stored post is deleted if the server does not show its timeline", async () => {
    await start();
    post("one");
    await waitForTexts("one");
    streams.isUnavailable = true;
    streams.cut();
    await eventually(() => expect(stream?.state().status).toBe("waiting"));
    emulator.server.removeAllListeners("request");
    emulator.server.on("request", (_request, response) => {
      response.writeHead(404, { "content-type": "application/json" });
      response.end('{"error":"Record not found"}');
    });
    streams.isUnavailable = false;
    await eventually(() =>
      expect(stream?.state().detail).toContain("the server hides its timeline"),
    );
    expect(stream?.state().recheck).toMatchObject({ isPending: true, removed: 0 });
    expect(texts()).toEqual(["one"]);
  });

  test("posts stay unconfirmed if the token is not allowed to read statuses, and the state explains why", async () => {
    await start();
    post("one");
    await waitForTexts("one");
    await whileDisconnected(() => {
      emulator.settings.faults.nextResponses = Array.from({ length: 4 }, () => ({ status: 403 }));
    });
    await eventually(() =>
      expect(stream?.state().detail).toContain("stored posts cannot be compared: HTTP 403"),
    );
    expect(stream?.state().recheck.isPending).toBe(true);
  });

  test("reading missed posts is rate-limited", async () => {
    await start({ requestsPerMinute: 1 });
    post("one");
    await waitForTexts("one");
    const before = emulator.requests.length;
    await whileDisconnected(() => post("missed"));
    await waitForTexts("missed", "one");
    const since = emulator.requests.slice(before).filter(({ path }) => !path.includes("instance"));
    expect(since.map(({ path }) => path)).toEqual(["/api/v1/timelines/public"]);
    expect(stream?.state().recheck.isPending).toBe(true);
    expect(stream?.state().detail).toContain("comparing stored posts");
  });
});

test("a sweep after a restart compares older posts, and removes those that were deleted", async () => {
  await serve();
  await start();
  const ids = Array.from({ length: 50 }, (_, n) => post(`river ${n}`));
  await eventually(() => expect(archive.posts.size).toBe(50));
  await stream?.stop();
  const checkpoint = (): { below: string | null; isDone: boolean } =>
    JSON.parse(archive.checkpoints.get(`mastodon-recheck ${emulator.host}`) ?? "{}");
  aheadMs += 8 * 86_400_000;
  for (const id of ids.slice(0, 3)) emulator.network.deleteStatus(id);
  await start();
  await eventually(() => expect(archive.posts.size).toBe(47));
  await eventually(() => expect(checkpoint().isDone).toBe(true));
  await waitUntilCompared();
  expect(stream?.state().recheck).toMatchObject({ checked: 50, removed: 3 });
});
