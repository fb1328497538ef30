import type { FastifyInstance, InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLimiter } from "../../src/accounts/limiter.ts";
import { defaultLimits, type Limits } from "../../src/accounts/limits.ts";
import { buildApp } from "../../src/http/app.ts";
import type { HttpContext } from "../../src/http/context.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import {
  movableClock,
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { createVirtualTime } from "../../testkit/service/virtual-time.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.remove());

const plainKey = () => service.makeKey({ requestsPerSecond: null, submissionsPerMinute: null });
const quickKey = () => service.makeKey({ submissionsPerMinute: null });

/** An app on the same stores, with its own limiter. */
function appWith(overrides: Partial<HttpContext> = {}, limits: Limits = defaultLimits) {
  const { store, http } = service.context;
  const limiter = createLimiter(store, overrides.clock ?? service.clock, limits);
  return buildApp({ ...http, limiter, ...overrides });
}

function appWithStoppedClock(overrides: Partial<HttpContext> = {}) {
  const elapsedMs = service.clock.elapsed();
  return appWith({ clock: { ...service.clock, elapsed: () => elapsedMs }, ...overrides });
}

function sleeplessClock() {
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  return { slept, clock: { ...service.clock, sleep } };
}

const submitFrom = (
  app: FastifyInstance,
  remoteAddress: string,
  key: string,
  headers: Record<string, string> = {},
) =>
  app.inject({
    method: "POST",
    url: "/v1/search/live/social",
    remoteAddress,
    headers: { authorization: `Bearer ${key}`, ...headers },
    payload: search("comet"),
  });

const statusFrom = (app: FastifyInstance, key: string, uuid: string) =>
  app.inject({
    method: "GET",
    url: `/v1/search/live/social/status/${uuid}`,
    headers: { authorization: `Bearer ${key}` },
  });

describe("the key", () => {
  test.each([
    ["none", undefined, 'Bearer realm="earshot"'],
    ["another scheme", "Basic ZWFyOmVhcg==", 'Bearer realm="earshot"'],
    ["no token", "Bearer ", 'Bearer realm="earshot"'],
    [
      "a mistyped key",
      "Bearer ear_0000aaaa_00000000000000000000000000000000000000",
      'Bearer realm="earshot", error="invalid_token"',
    ],
  ])(
    "a request with %s returns 401 with a hint about how to send a key",
    async (_, authorization, challenge) => {
      const response = await service.submit("", search("comet"));
      expect(response.statusCode).toBe(401);
      const refused = await service.app.inject({
        method: "POST",
        url: "/v1/search/live/social",
        headers: { ...(authorization === undefined ? {} : { authorization }) },
        payload: search("comet"),
      });
      expect(refused.statusCode).toBe(401);
      expect(refused.headers["www-authenticate"]).toBe(challenge);
      expect(refused.headers.ratelimit).toBeUndefined();
      const problem = refused.json();
      expect(problem).toMatchObject({ code: "unauthorized", uuid: "" });
      expect(problem.hint).toContain("Authorization: Bearer");
      expect(problem.hint.includes("earshot keys create --name NAME")).toBe(
        !challenge.includes("invalid_token"),
      );
    },
  );

  test("the scheme of a key is accepted in any case, and the key is checked before the body", async () => {
    const key = await plainKey();
    const url = "/v1/search/live/social";
    const response = await service.app.inject({
      method: "POST",
      url,
      headers: { authorization: `bearer ${key}` },
      payload: search("comet"),
    });
    expect(response.statusCode).toBe(202);
    const broken = await service.submit(`${key}x`, "{");
    expect(broken.statusCode).toBe(401);
  });

  test("a key is rejected as soon as it is revoked", async () => {
    const key = await plainKey();
    expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
    await service.context.store.write("revokeKey", {
      id: key.split("_")[1] ?? "",
      actor: "command_line",
      nowMs: service.clock.now(),
    });
    expect((await service.submit(key, search("comet"))).statusCode).toBe(401);
  });

  test("a key is not looked up after too many wrong keys from one address", async () => {
    const app = appWith({}, { ...defaultLimits, failedKeysPerMinute: 3 });
    const request = (key: string) => submitFrom(app, "198.51.100.1", key);
    const valid = await quickKey();
    for (let again = 0; again < 10; again++) {
      expect((await request("ear_revoked")).statusCode).toBe(401);
    }
    expect((await request(valid)).statusCode).toBe(202);
    service.clock.move(40_000);
    for (let wrong = 0; wrong < 2; wrong++) {
      expect((await request(`ear_wrong${wrong}`)).statusCode).toBe(401);
    }
    const refused = await request(valid);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(20);
    expect(refused.json()).toMatchObject({ code: "too_many_failed_keys", uuid: "" });
    expect(refused.headers.ratelimit).toBeUndefined();
    service.clock.move(61_000);
    expect((await request(valid)).statusCode).toBe(202);
  });
});

describe("the client address", () => {
  test.each([
    ["behind a trusted proxy is that of the client", ["10.1.0.0/16"], 202],
    [
      "without a trusted proxy is that of the connection, regardless of what the client claims",
      ["10.2.0.0/16", "192.0.2.1"],
      429,
    ],
  ])("the client address %s", async (_, trustedProxies, expected) => {
    const settings = { ...service.context.http.settings, trustedProxies };
    const app = appWith({ settings }, { ...defaultLimits, failedKeysPerMinute: 1 });
    const request = (key: string, client: string) =>
      submitFrom(app, "10.1.2.3", key, { "x-forwarded-for": client });
    const valid = await quickKey();
    expect((await request("ear_wrong", "203.0.113.9")).statusCode).toBe(401);
    expect((await request(valid, "203.0.113.9")).statusCode).toBe(429);
    expect((await request(valid, "203.0.113.10")).statusCode).toBe(expected);
    service.clock.move(60_001);
  });
});

describe("the request rate", () => {
  test("the request rate rejects the fourth submission within a second without parsing its body", async () => {
    const key = await plainKey();
    for (let request = 0; request < 3; request++) {
      expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
    }
    const refused = await service.submit(key, "{");
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ code: "rate_limited", retryable: true, uuid: "" });
    expect(refused.headers["retry-after"]).toBe("1");
    expect(refused.headers.ratelimit).toContain('"burst";r=0');
    service.clock.move(1_001);
    expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
  });

  test("excess reads of one's own job are delayed instead of rejected", async () => {
    const key = await plainKey();
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const url = `/v1/search/live/social/status/${uuid}`;
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => service.call(key, { method: "GET", url })),
    );
    expect(responses.map((response) => response.statusCode)).toEqual([200, 200, 200, 200, 200]);
  });

  test("a read that would have to wait too long is rejected", async () => {
    const { slept, clock } = sleeplessClock();
    const app = appWith({ clock });
    const key = await plainKey();
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const responses = await Promise.all(
      Array.from({ length: 13 }, () => statusFrom(app, key, uuid)),
    );
    const refused = responses.filter((response) => response.statusCode === 429);
    expect(
      responses.filter((response) => response.statusCode === 200).length,
    ).toBeGreaterThanOrEqual(8);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    expect(refused[0]?.headers["retry-after"]).toBe("3");
    const tenths = slept.map((ms) => Math.round(ms / 100));
    expect(tenths).toEqual([...tenths].sort((a, b) => a - b));
    expect(Math.max(...slept)).toBeLessThanOrEqual(2_000);
  });

  test("excess reads of other accounts' jobs are rejected immediately", async () => {
    const key = await plainKey();
    const { uuid } = (await service.submit(await quickKey(), search("comet"))).json();
    for (const id of [uuid, "0f8fad5b-d9cb-469f-a165-70867728950e"]) {
      const url = `/v1/search/live/social/result/${id}`;
      const responses = await Promise.all(
        Array.from({ length: 8 }, () => service.call(key, { method: "GET", url })),
      );
      const statuses = responses.map((response) => response.statusCode).sort();
      expect(statuses).toEqual([404, 404, 404, 429, 429, 429, 429, 429]);
      service.clock.move(1_001);
    }
  });
});

describe("the search rate", () => {
  test("the search rate is reported with the request rate in the response to a submission", async () => {
    const key = await plainKey();
    const response = await service.submit(key, search("comet"));
    expect(response.headers["ratelimit-policy"]).toBe('"burst";q=3;w=1, "search";q=10;w=60');
    expect(response.headers.ratelimit).toBe('"burst";r=2;t=1, "search";r=9;t=60');
  });

  test("the search rate rejects the 11th search after 59 s and accepts it after 60.1 s", async () => {
    const key = await quickKey();
    for (let used = 0; used < 10; used++) {
      expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
    }
    service.clock.move(59_000);
    const refused = await service.submit(key, search("comet"));
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ code: "rate_limited", uuid: "" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    service.clock.move(1_100);
    expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
  });

  test("the search rate accepts ten of twenty concurrent searches", async () => {
    const key = await quickKey();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => service.submit(key, search("comet"))),
    );
    const used = responses.filter((response) => response.statusCode === 202);
    expect(used).toHaveLength(10);
    expect(responses.filter((response) => response.statusCode === 429)).toHaveLength(10);
  });

  test("the search rate counts neither rejected submissions nor reads", async () => {
    const key = await quickKey();
    const { uuid } = (await service.submit(key, search("comet"))).json();
    for (let refused = 0; refused < 12; refused++) {
      expect((await service.submit(key, search("since:never"))).statusCode).toBe(400);
      expect((await service.submit(key, search("comet"), "/v1/search/live/x/")).statusCode).toBe(
        404,
      );
      const url = `/v1/search/live/social/result/${uuid}`;
      await service.call(key, { method: "GET", url });
    }
    const response = await service.submit(key, search("comet"));
    expect(response.statusCode).toBe(202);
    expect(response.headers.ratelimit).toContain('"search";r=8');
  });

  test("the search rate does not count a submission that the store rejects", async () => {
    const key = await quickKey();
    const { jobs } = service.context.http;
    const { submit } = jobs;
    jobs.submit = () => Promise.reject(new EarshotError("store_unavailable", "x", { status: 503 }));
    try {
      expect((await service.submit(key, search("comet"))).statusCode).toBe(503);
    } finally {
      jobs.submit = submit;
    }
    const response = await service.submit(key, search("comet"));
    expect(response.headers.ratelimit).toContain('"search";r=9');
  });

  test("the search rate counts a search in one request", async () => {
    const key = await quickKey();
    const response = await service.call(key, {
      method: "POST",
      url: "/api/v1/data/social/tweets/recent",
      payload: { query: "comet" },
    });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.headers.ratelimit).toContain('"search";r=9');
  });

  test("the search rate is not shared between keys of different accounts", async () => {
    const [first, second] = [await quickKey(), await quickKey()];
    await service.submit(first, search("comet"));
    const response = await service.submit(second, search("comet"));
    expect(response.headers.ratelimit).toContain('"search";r=9');
  });
});

describe("the cost of a request", () => {
  const path = "/v1/search/live/social";
  const unknown = `${path}/status/0f8fad5b-d9cb-469f-a165-70867728950e`;
  const json = { "content-type": "application/json" };
  const post = (payload: unknown, headers: Record<string, string> = json) =>
    ({ method: "POST", url: path, headers, payload: String(payload) }) as const;
  const valid = JSON.stringify(search("comet"));
  const request = (app: FastifyInstance, key: string, options: InjectOptions) =>
    app.inject({ ...options, headers: { ...options.headers, authorization: `Bearer ${key}` } });

  test.each([
    ["an unparsable query", 400, post(JSON.stringify(search("since:never")))],
    ["a body that is not JSON", 400, post("{")],
    ["an unknown job", 404, { method: "GET", url: unknown } as const],
    ["a body that is too large", 413, post(`"${"a".repeat(70_000)}"`)],
    ["a body of another type", 415, post(valid, { "content-type": "text/plain" })],
    ["a compressed body", 415, post(valid, { ...json, "content-encoding": "gzip" })],
    ["an argument with a wrong value", 400, post(JSON.stringify(search("a", { count: 101 })))],
  ])("the request for %s (%i) costs one request and no search", async (_, status, options) => {
    const response = await request(appWithStoppedClock(), await plainKey(), options);
    expect(response.statusCode, response.body).toBe(status);
    expect(response.headers["ratelimit-policy"]).toBe('"burst";q=3;w=1, "search";q=10;w=60');
    expect(response.headers.ratelimit).toBe('"burst";r=2;t=1, "search";r=10;t=0');
  });

  test("a repeated submission costs one request and no search", async () => {
    const [app, key] = [appWithStoppedClock(), await plainKey()];
    const headers = { ...json, "idempotency-key": "once" };
    const first = await request(app, key, post(valid, headers));
    const replay = await request(app, key, post(valid, headers));
    expect(replay.json()).toEqual(first.json());
    expect(replay.headers.ratelimit).toBe('"burst";r=1;t=1, "search";r=9;t=60');
    const other = await request(app, key, post(JSON.stringify(search("moon")), headers));
    expect(other.statusCode).toBe(422);
    expect(other.headers.ratelimit).toBe('"burst";r=0;t=1, "search";r=9;t=60');
  });

  test("two concurrent submissions with one idempotency key cost one search", async () => {
    const [app, key] = [appWithStoppedClock(), await plainKey()];
    const headers = { ...json, "idempotency-key": "twice" };
    const responses = await Promise.all([1, 2].map(() => request(app, key, post(valid, headers))));
    expect(new Set(responses.map((response) => response.json().uuid)).size).toBe(1);
    const after = await request(app, key, { method: "GET", url: unknown });
    expect(after.headers.ratelimit).toContain('"search";r=9');
  });

  test("a search rejected by the store (503) costs one request and no search, as the headers report", async () => {
    const submit = () =>
      Promise.reject(new EarshotError("store_unavailable", "x", { status: 503 }));
    const app = appWithStoppedClock({ jobs: { ...service.context.http.jobs, submit } });
    const response = await request(app, await plainKey(), post(valid));
    expect(response.statusCode).toBe(503);
    expect(response.headers.ratelimit).toBe('"burst";r=2;t=1, "search";r=10;t=0');
  });
});

describe("two services on one store", () => {
  test("two services on one store share the remaining rate of a key", async () => {
    const apps = [service.app, appWith()];
    const key = await quickKey();
    const submitBy = (index: number) =>
      submitFrom(apps[index % 2] ?? service.app, "127.0.0.1", key);
    const responses = await Promise.all(Array.from({ length: 14 }, (_, index) => submitBy(index)));
    const statuses = responses.map((response) => response.statusCode);
    expect(statuses.filter((status) => status === 202)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    service.clock.move(59_000);
    expect((await submitBy(1)).statusCode).toBe(429);
    service.clock.move(1_100);
    const again = await submitBy(0);
    expect(again.statusCode).toBe(202);
    expect((await submitBy(1)).headers.ratelimit).toContain('"search";r=8');
  });

  test("two services on one store share the request rate of a key and the queue of its delayed reads", async () => {
    const { slept, clock } = sleeplessClock();
    const apps = [appWith({ clock }), appWith({ clock })];
    const key = await plainKey();
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const reads = apps.flatMap((app) => [1, 2, 3, 4].map(() => statusFrom(app, key, uuid)));
    const statuses = (await Promise.all(reads)).map((response) => response.statusCode);
    expect(statuses).toEqual(Array(8).fill(200));
    expect(slept.length).toBeGreaterThanOrEqual(5);
    expect(slept.filter((ms) => ms > 1_000).length).toBeGreaterThanOrEqual(2);
  });

  test("two services on one store share the count of wrong keys of an address", async () => {
    const apps = [service.app, appWith()];
    const request = (index: number, key: string) =>
      submitFrom(apps[index % 2] ?? service.app, "198.51.100.7", key);
    for (let guess = 0; guess < 30; guess += 1) {
      expect((await request(guess, `ear_${guess}`)).statusCode).toBe(401);
    }
    const valid = await quickKey();
    for (const index of [0, 1]) expect((await request(index, valid)).statusCode).toBe(429);
  });
});

describe("a client that polls each of four searches once a second", () => {
  const simulatedMs = 60_000;
  const searchPolls = 20;

  test.each([
    ["all together", [0, 0, 0, 0]],
    ["in two pairs", [0, 1, 600, 601]],
  ])(
    "no poll or fetch of a client that polls four searches once a second, %s, is rejected",
    async (_, offsetsMs) => {
      const { clock, runUntilSettled } = createVirtualTime(service.clock);
      const app = appWith({ clock });
      const key = await plainKey();
      const startMs = clock.elapsed();
      const statuses: number[] = [];

      async function submitWhenAllowed(): Promise<string> {
        for (;;) {
          const response = await submitFrom(app, "127.0.0.1", key);
          if (response.statusCode === 202) return response.json().uuid;
          expect(response.statusCode).toBe(429);
          await clock.sleep(Number(response.headers["retry-after"]) * 1_000);
        }
      }

      async function read(uuid: string, kind: "status" | "result"): Promise<void> {
        const response = await app.inject({
          method: "GET",
          url: `/v1/search/live/social/${kind}/${uuid}`,
          headers: { authorization: `Bearer ${key}` },
        });
        statuses.push(response.statusCode);
      }

      async function searchRepeatedly(offsetMs: number): Promise<void> {
        await clock.sleep(offsetMs);
        while (clock.elapsed() - startMs < simulatedMs) {
          const uuid = await submitWhenAllowed();
          for (let poll = 0; poll < searchPolls; poll += 1) {
            const nextMs = clock.elapsed() + 1_000;
            await read(uuid, "status");
            await clock.sleep(Math.max(0, nextMs - clock.elapsed()));
          }
          await read(uuid, "result");
        }
      }

      await runUntilSettled(offsetsMs.map(searchRepeatedly));
      service.clock.move(clock.elapsed() - startMs);
      expect(statuses.length).toBeGreaterThanOrEqual(8 * searchPolls);
      expect(statuses.filter((status) => status < 200 || status > 299)).toEqual([]);
    },
  );
});

test("the rate headers of a delayed response show the state when it is sent", async () => {
  const key = await quickKey();
  const { uuid } = (await service.submit(key, search("comet"))).json();
  const { find } = service.context.http.jobs;
  const app = appWith({
    jobs: {
      ...service.context.http.jobs,
      isUnfinished: () => false,
      find: async (accountId, requested) => {
        service.clock.move(61_000);
        return await find(accountId, requested);
      },
    },
  });
  const response = await statusFrom(app, key, uuid);
  expect(response.statusCode).toBe(200);
  expect(response.headers.ratelimit).toContain('"search";r=10;t=0');
});

test("setting the clock back or forward by an hour does not change the limits of a running service", async () => {
  const key = await quickKey();
  for (let used = 0; used < 10; used += 1) await service.submit(key, search("comet"));
  for (const shiftMs of [-3_600_000, 7_200_000, -3_600_000]) {
    service.clock.shiftWall(shiftMs);
    expect((await service.submit(key, search("comet"))).statusCode).toBe(429);
  }
  service.clock.move(60_001);
  expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
});

test("two hundred queued searches do not delay another key's first search, and a restart does not reset the rate", async () => {
  const settings = { EARSHOT_NODE_CONCURRENCY: "0", EARSHOT_MAX_RUNNING_PER_KEY: "2" };
  const first = await startServiceUnderTest(settings);
  const submitTimes = async (to: ServiceUnderTest, key: string, times: number) => {
    const responses = await Promise.all(
      Array.from({ length: times }, () => to.submit(key, search("comet"))),
    );
    return responses.map((response) => response.statusCode);
  };

  const [greedy, modest] = [await first.makeKey(), await first.makeKey()];
  await submitTimes(first, greedy, 200);
  const { uuid } = (await first.submit(modest, search("comet"))).json();
  const node = { nodeId: "node", methods: ["searchbyquery"] };
  const leases = await Promise.all([1, 2, 3].map(() => first.context.queue.lease(node, 1_000)));
  expect(leases.map((lease) => lease?.uuid).indexOf(uuid)).toBe(1);
  const { uuid: second } = (await first.submit(modest, search("moon"))).json();
  const following = await Promise.all([1, 2].map(() => first.context.queue.lease(node, 1_000)));
  expect(following.map((lease) => lease?.uuid)).toContain(second);

  const key = await first.makeKey({ submissionsPerMinute: null });
  await submitTimes(first, key, 4);
  first.clock.shiftWall(-3_600_000);
  await submitTimes(first, key, 2);
  await first.stop();
  const clock = movableClock();
  clock.shiftWall(-3_600_000);
  const next = await startServiceUnderTest(
    { ...settings, EARSHOT_DATA_DIR: first.dataDir },
    { clock },
  );
  try {
    const statuses = (await submitTimes(next, key, 5)).sort();
    expect(statuses).toEqual([202, 202, 202, 202, 429]);
    next.clock.move(60_000);
    expect(await submitTimes(next, key, 1)).toEqual([202]);
  } finally {
    await next.remove();
  }
});
