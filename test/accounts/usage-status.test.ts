import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CoverageInterval } from "../../src/archive/archive.ts";
import type { StatusResponse } from "../../src/http/dashboard/contract/status.ts";
import type { UsageResponse } from "../../src/http/dashboard/contract/usage.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";
import { stubUpstream } from "../../testkit/upstreams/stub-upstream.ts";

const hourMs = 3_600_000;

let service: ServiceUnderTest;
const bluesky = stubUpstream("bluesky", {
  gettweets: [],
  gettrends: new EarshotError("upstream_failed", "bsky returned 400", { status: 502 }),
});

beforeAll(async () => {
  service = await startServiceUnderTest(
    { EARSHOT_BLUESKY_PUBLIC: "on" },
    { upstreams: { bluesky } },
  );
});
afterAll(() => service.remove());

type TestKey = { id: string; accountId: string; token: string; session: TestSession };

async function makeKey(
  requested: { accountName?: string; submissionsPerMinute?: number } = {},
): Promise<TestKey> {
  const { accountName = null, submissionsPerMinute = 1_000_000 } = requested;
  const key = await service.context.store.write("createKey", {
    name: "test",
    accountName,
    requestsPerSecond: 1_000_000,
    submissionsPerMinute,
    nowMs: service.clock.now(),
  });
  const session = await service.signIn({ accountId: key.accountId });
  return { ...key, session };
}

async function searchOnce(token: string, query = "comet", on = service): Promise<void> {
  const { uuid } = (await on.submit(token, search(query))).json();
  await on.result(token, uuid);
}

async function sessionUsage(
  session: TestSession,
  parameters = "",
  on = service,
): Promise<UsageResponse> {
  const response = await on.callAs(session, { url: `/dashboard/api/usage${parameters}` });
  expect(response.statusCode).toBe(200);
  return response.json();
}

describe("usage", () => {
  test("usage reports requests, rejected ones, searches, failures, posts and search durations", async () => {
    await service.addPosts([
      makePost({ key: "u1", text: "perseids", createdMs: service.clock.now() }),
    ]);
    const { token, session } = await makeKey({ submissionsPerMinute: 2 });
    await searchOnce(token, "perseids");
    const trends = { type: "social", arguments: { type: "gettrends" } };
    const { uuid } = (await service.submit(token, trends)).json();
    expect((await service.result(token, uuid)).statusCode).toBe(502);
    expect((await service.submit(token, search("comet"))).statusCode).toBe(429);
    expect((await service.call(token, { url: "/v1/no-such-path" })).statusCode).toBe(404);

    const { totals, methods, buckets, keys, range } = await sessionUsage(session);
    expect(range).toBe("24h");
    // An unknown path needs no key.
    expect(totals).toMatchObject({
      requests: 5,
      refused: 1,
      failed: 1,
      searches: 2,
      searches_failed: 1,
      posts: 1,
    });
    expect(totals.p50_ms).toBeGreaterThanOrEqual(0);
    expect(methods).toMatchObject([
      { method: "searchbyquery", searches: 1, searches_failed: 0, posts: 1 },
      { method: "gettrends", searches: 1, searches_failed: 1, posts: 0 },
    ]);
    expect(buckets).toHaveLength(48);
    expect(buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(5);
    expect(keys).toMatchObject([{ name: "test", ended: false }]);
  });

  test("usage is reported per key and for all keys of the account", async () => {
    const key = await makeKey({ accountName: "two keys" });
    const other = await makeKey({ accountName: "two keys" });
    await searchOnce(key.token);
    await searchOnce(other.token);
    await searchOnce(other.token);
    const searches = async (parameters: string) =>
      (await sessionUsage(key.session, parameters)).totals.searches;
    expect(await searches("")).toBe(3);
    expect(await searches(`?key=${key.id}`)).toBe(1);
    expect(await searches(`?key=${other.id}&range=7d`)).toBe(2);
    expect(await searches(`?key=${other.id}&range=30d`)).toBe(2);
  });

  test("usage excludes other accounts and their keys", async () => {
    const { id, token } = await makeKey();
    await searchOnce(token);
    const outsider = await service.signIn();
    expect((await sessionUsage(outsider)).totals).toMatchObject({ requests: 0, searches: 0 });
    const requested = await service.callAs(outsider, { url: `/dashboard/api/usage?key=${id}` });
    expect(requested.statusCode).toBe(404);
    expect(requested.json().code).toBe("key_not_found");
  });

  test("usage counts dashboard searches but not the dashboard's own requests", async () => {
    const session = await service.signIn();
    await sessionUsage(session);
    await service.callAs(session, { url: "/dashboard/api/status" });
    expect((await sessionUsage(session)).totals).toMatchObject({ requests: 0, searches: 0 });
    const submitted = await service.callAs(session, {
      method: "POST",
      url: "/v1/search/social",
      headers: { "content-type": "application/json" },
      payload: JSON.stringify(search("comet")),
    });
    expect(submitted.statusCode).toBe(200);
    const { totals, keys } = await sessionUsage(session);
    expect(totals).toMatchObject({ requests: 1, searches: 1 });
    expect(keys).toEqual([
      { id: `dashboard-${session.accountId}`, name: "Dashboard", ended: false },
    ]);
    expect(await sessionUsage(session, `?key=dashboard-${session.accountId}`)).toMatchObject({
      totals,
    });
  });

  test("usage and status require a session and valid parameters", async () => {
    const { token, session } = await makeKey();
    expect((await service.call(token, { url: "/dashboard/api/usage" })).statusCode).toBe(401);
    expect((await service.call(null, { url: "/dashboard/api/status" })).statusCode).toBe(401);
    for (const path of [
      "usage?range=1y",
      "status?range=1y",
      "usage?kye=a",
      `usage?key=${"a".repeat(65)}`,
    ]) {
      const response = await service.callAs(session, { url: `/dashboard/api/${path}` });
      expect(response.statusCode).toBe(400);
    }
  });

  test("the recorder writes when and from which network a key was last used", async () => {
    const { token, session } = await makeKey();
    const fetchKey = async () =>
      (await service.callAs(session, { url: "/dashboard/api/keys" })).json().keys[0];
    expect(await fetchKey()).toMatchObject({ used_at: null, used_from: null });
    await searchOnce(token);
    await service.context.usage.recorder.flush();
    const { used_at, used_from } = await fetchKey();
    expect(used_from).toBe("127.0.0.0/24");
    expect(Math.abs(Date.parse(used_at) - service.clock.now())).toBeLessThan(60_000);
  });

  withFileStore("usage survives a restart", async () => {
    const first = await startServiceUnderTest({ EARSHOT_USAGE_FLUSH: "1h" });
    const requested = {
      name: "test",
      accountName: "stays",
      requestsPerSecond: 1_000,
      submissionsPerMinute: 1_000,
      nowMs: first.clock.now(),
    };
    const key = await first.context.store.write("createKey", requested);
    await searchOnce(key.token, "comet", first);
    await first.stop();
    const second = await startServiceUnderTest({ EARSHOT_DATA_DIR: first.dataDir });
    await searchOnce(key.token, "comet", second);
    const session = await second.signIn({ accountId: key.accountId });
    const { totals } = await sessionUsage(session, "", second);
    expect(totals).toMatchObject({ requests: 4, searches: 2 });
    await second.remove();
    await first.remove();
  });
});

describe("status", () => {
  async function sessionStatus(
    session: TestSession,
    range = "24h",
    on = service,
  ): Promise<StatusResponse> {
    const response = await on.callAs(session, { url: `/dashboard/api/status?range=${range}` });
    expect(response.statusCode).toBe(200);
    return response.json();
  }

  /** Waits until the status counts the posts. */
  async function countedStatusOf(
    session: TestSession,
    range: string,
    on: ServiceUnderTest,
  ): Promise<StatusResponse> {
    return await until("the posts are counted", async () => {
      const answer = await sessionStatus(session, range, on);
      return answer.platforms[0]?.received == null ? null : answer;
    });
  }

  async function cover(on: ServiceUnderTest, ...spans: readonly [number, number][]): Promise<void> {
    const coverage = spans.map(
      ([fromMs, toMs]): CoverageInterval => ({
        platform: "bluesky",
        collection: "posts",
        account: null,
        source: "jetstream",
        fromMs,
        toMs,
      }),
    );
    await on.context.archive.write({ changes: [], coverage });
  }

  test("the status reports coverage with its gaps, and the number of stored posts over time", async () => {
    const own = await startServiceUnderTest();
    const nowMs = own.clock.now();
    const times = Array.from({ length: 300 }, (_, index) => nowMs - index * 20 * 60_000);
    await own.addPosts(times.map((createdMs, index) => makePost({ key: `s${index}`, createdMs })));
    const gap = [nowMs - 6 * hourMs, nowMs - 5 * hourMs] as const;
    await cover(own, [nowMs - 50 * hourMs, gap[0]], [gap[1], nowMs + hourMs]);
    const session = await own.signIn();

    for (const [range, spanMs] of [
      ["24h", 24 * hourMs],
      ["7d", 168 * hourMs],
    ] as const) {
      const { platforms, archive, nodes, queue } = await countedStatusOf(session, range, own);
      expect(platforms.map(({ platform, mode }) => [platform, mode])).toEqual([
        ["bluesky", "archived"],
        ["mastodon", "off"],
        ["x", "off"],
      ]);
      const [stored] = platforms;
      expect(stored?.stream).toBeNull();
      expect(stored?.posts).toBe(300);
      expect(stored?.coverage.gaps).toEqual([
        {
          from: new Date(gap[0]).toISOString().replace(".000Z", "Z"),
          to: new Date(gap[1]).toISOString().replace(".000Z", "Z"),
        },
      ]);
      expect(stored?.coverage.held).toHaveLength(2);
      expect(Date.parse(stored?.coverage.complete_since ?? "")).toBe(gap[1]);
      expect(stored?.received).toHaveLength(144);
      const received = stored?.received?.reduce((sum, posts) => sum + posts, 0) ?? 0;
      // Ranges are multiples of five minutes.
      const within = times.filter((ms) => ms >= nowMs - spanMs + 300_000).length;
      expect(received).toBeGreaterThanOrEqual(within);
      expect(received).toBeLessThanOrEqual(within + 1);
      expect(platforms[1]?.received).toEqual(Array.from({ length: 144 }, () => 0));
      expect(archive).toMatchObject({ posts: 300, segments: 1, hidden: 0, max_age_ms: null });
      expect(archive.free_disk_bytes).toBeGreaterThan(0);
      expect(Date.parse(archive.newest_at ?? "")).toBe(times[0]);
      expect(nodes).toMatchObject([{ name: "embedded", evidence: "none", jobs: 0 }]);
      expect(queue).toEqual({ waiting: 0 });
    }
    await own.remove();
  });

  test("the status reads the archive at most once a minute for all accounts together", async () => {
    const own = await startServiceUnderTest({
      EARSHOT_INGEST: "bluesky",
      EARSHOT_JETSTREAM_URLS: "ws://127.0.0.1:1/subscribe",
      EARSHOT_LABELER_URLS: "none",
      EARSHOT_LOOKUP: "off",
    });
    await own.addPosts([makePost({ createdMs: own.clock.now() })]);
    const session = await own.signIn();
    const other = await own.signIn();
    const { archive } = own.context;
    const requested: string[] = [];
    for (const name of ["coverage", "stats", "count"] as const) {
      const real = archive[name] as (...args: never[]) => Promise<unknown>;
      Object.assign(archive, {
        [name]: (...args: never[]) => {
          requested.push(name);
          return real(...args);
        },
      });
    }
    await Promise.all([sessionStatus(session, "24h", own), sessionStatus(other, "24h", own)]);
    const answer = await countedStatusOf(session, "24h", own);
    const { archive: ofArchive, from, to } = await sessionStatus(other, "24h", own);
    expect({ ofArchive, from, to }).toEqual({
      ofArchive: answer.archive,
      from: answer.from,
      to: answer.to,
    });
    expect(answer.platforms[0]).toMatchObject({
      mode: "streamed",
      stream: { status: "waiting", lag_ms: null },
      posts: 1,
      coverage: { held: [], gaps: [], complete_since: null },
      lag: [],
    });
    expect(requested.toSorted()).toEqual(["count", "coverage", "stats"]);
    own.clock.move(61_000);
    await until("the archive is read again", async () => {
      await sessionStatus(session, "24h", own);
      return requested.length > 5 ? true : null;
    });
    await sessionStatus(other, "24h", own);
    expect(requested).toHaveLength(6);
    await own.remove();
  });

  test("the status shows which platforms are requested live, and counts a node's jobs", async () => {
    const { token, session } = await makeKey();
    const jobsBefore = (await sessionStatus(session)).nodes[0]?.jobs ?? 0;
    await searchOnce(token);
    const { nodes, platforms } = await sessionStatus(session);
    expect(nodes[0]?.jobs).toBe(jobsBefore + 1);
    expect(platforms.map(({ mode }) => mode)).toEqual(["live", "off", "off"]);
  });
});
