import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EarshotError } from "../src/lib/errors.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "./support/service-under-test.ts";

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service.remove());

/** A key with the limits of the deployment. */
const plainKey = () => service.makeKey({ requestsPerSecond: null, submissionsPerMinute: null });
/** A key that is only bound by its submissions. */
const quickKey = () => service.makeKey({ submissionsPerMinute: null });

describe("the key", () => {
  test.each([
    ["none", undefined],
    ["another scheme", "Basic ZWFyOmVhcg=="],
    ["no token", "Bearer "],
    ["a mistyped one", "Bearer ear_0000aaaa_00000000000000000000000000000000000000"],
  ])("%s is a 401 that says how to send one", async (_, authorization) => {
    const answer = await service.submit("", search("comet"));
    expect(answer.statusCode).toBe(401);
    const answered = await service.app.inject({
      method: "POST",
      url: "/v1/search/live/social",
      headers: { ...(authorization === undefined ? {} : { authorization }) },
      payload: search("comet"),
    });
    expect(answered.statusCode).toBe(401);
    expect(answered.headers["www-authenticate"]).toMatch(/^Bearer realm="earshot"/);
    expect(answered.headers.ratelimit).toBeUndefined();
    const problem = answered.json();
    expect(problem).toMatchObject({ code: "unauthorized", uuid: "" });
    expect(problem.hint).toContain("Authorization: Bearer");
  });

  test("the scheme's case does not count; the key comes before the body", async () => {
    const key = await plainKey();
    const url = "/v1/search/live/social";
    const answer = await service.app.inject({
      method: "POST",
      url,
      headers: { authorization: `bearer ${key}` },
      payload: search("comet"),
    });
    expect(answer.statusCode).toBe(202);
    const broken = await service.submit(`${key}x`, "{");
    expect(broken.statusCode).toBe(401);
  });

  test("a revoked key is refused at once", async () => {
    const key = await plainKey();
    expect((await service.submit(key, search("comet"))).statusCode).toBe(202);
    await service.context.store.write("revokeKey", { id: key.split("_")[1] ?? "" });
    expect((await service.submit(key, search("comet"))).statusCode).toBe(401);
  });

  test("an address with too many wrong keys is refused before its key is looked at", async () => {
    const other = await startServiceUnderTest({ EARSHOT_FAILED_KEYS_PER_MINUTE: "3" });
    try {
      const good = await other.makeKey();
      for (let again = 0; again < 10; again++) {
        expect((await other.submit("ear_revoked", search("comet"))).statusCode).toBe(401);
      }
      expect((await other.submit(good, search("comet"))).statusCode).toBe(202);
      other.clock.move(40_000);
      for (let wrong = 0; wrong < 2; wrong++) {
        expect((await other.submit(`ear_wrong${wrong}`, search("comet"))).statusCode).toBe(401);
      }
      const refused = await other.submit(good, search("comet"));
      expect(refused.statusCode).toBe(429);
      expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(20);
      expect(refused.json()).toMatchObject({ code: "too_many_failed_keys", uuid: "" });
      other.clock.move(61_000);
      expect((await other.submit(good, search("comet"))).statusCode).toBe(202);
    } finally {
      await other.remove();
    }
  });
});

describe("the address", () => {
  const ask = (other: ServiceUnderTest, key: string, client: string) =>
    other.app.inject({
      method: "POST",
      url: "/v1/search/live/social",
      remoteAddress: "10.1.2.3",
      headers: { authorization: `Bearer ${key}`, "x-forwarded-for": client },
      payload: search("comet"),
    });

  test.each([
    ["of a trusted proxy's client is the client's own", "10.1.0.0/16", 202],
    ["of anyone else is the connection's, whatever he claims", "10.2.0.0/16,192.0.2.1", 429],
  ])("%s", async (_, proxies, expected) => {
    const other = await startServiceUnderTest({
      EARSHOT_FAILED_KEYS_PER_MINUTE: "1",
      EARSHOT_TRUSTED_PROXIES: proxies,
    });
    try {
      const good = await other.makeKey();
      expect((await ask(other, "ear_wrong", "203.0.113.9")).statusCode).toBe(401);
      expect((await ask(other, good, "203.0.113.9")).statusCode).toBe(429);
      expect((await ask(other, good, "203.0.113.10")).statusCode).toBe(expected);
    } finally {
      await other.remove();
    }
  });
});

describe("requests a second", () => {
  test("the fourth submission within a second is refused, its body not looked at", async () => {
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

  test("reads of one's own job beyond it wait for their turn instead", async () => {
    const key = await plainKey();
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const url = `/v1/search/live/social/status/${uuid}`;
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.call(key, { method: "GET", url })),
    );
    expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 200, 200]);
  });

  test("a read whose turn is too far away is refused", async () => {
    const key = await plainKey();
    const { uuid } = (await service.submit(key, search("comet"))).json();
    const url = `/v1/search/live/social/status/${uuid}`;
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => service.call(key, { method: "GET", url })),
    );
    const statuses = answers.map((answer) => answer.statusCode);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(8);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(1);
  });

  test("reads of what is not one's own are refused at once", async () => {
    const key = await plainKey();
    const { uuid } = (await service.submit(await quickKey(), search("comet"))).json();
    for (const id of [uuid, "0f8fad5b-d9cb-469f-a165-70867728950e"]) {
      const url = `/v1/search/live/social/result/${id}`;
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => service.call(key, { method: "GET", url })),
      );
      const statuses = answers.map((answer) => answer.statusCode).sort();
      expect(statuses).toEqual([404, 404, 404, 429, 429, 429, 429, 429]);
      service.clock.move(1_001);
    }
  });
});

describe("searches a minute", () => {
  test("every answer to a key tells both rates", async () => {
    const key = await plainKey();
    const answer = await service.submit(key, search("comet"));
    expect(answer.headers["ratelimit-policy"]).toBe('"burst";q=3;w=1, "search";q=10;w=60');
    expect(answer.headers.ratelimit).toBe('"burst";r=2;t=1, "search";r=9;t=60');
  });

  test("the 11th is refused at 59.9 s and taken at 60.1 s", async () => {
    const key = await quickKey();
    for (let taken = 0; taken < 10; taken++) {
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

  test("twenty at once: ten are taken", async () => {
    const key = await quickKey();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.submit(key, search("comet"))),
    );
    const taken = answers.filter((answer) => answer.statusCode === 202);
    expect(taken).toHaveLength(10);
    expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(10);
  });

  test("what is refused costs nothing of them, and reads cost nothing", async () => {
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
    const answer = await service.submit(key, search("comet"));
    expect(answer.statusCode).toBe(202);
    expect(answer.headers.ratelimit).toContain('"search";r=8');
  });

  test("a submission that the store refuses costs nothing of them", async () => {
    const key = await quickKey();
    const { jobs } = service.context.http;
    const { submit } = jobs;
    jobs.submit = () => Promise.reject(new EarshotError("store_unavailable", "x", { status: 503 }));
    try {
      expect((await service.submit(key, search("comet"))).statusCode).toBe(503);
    } finally {
      jobs.submit = submit;
    }
    const answer = await service.submit(key, search("comet"));
    expect(answer.headers.ratelimit).toContain('"search";r=9');
  });

  test("the search in one request costs one of them", async () => {
    const key = await quickKey();
    const answer = await service.call(key, {
      method: "POST",
      url: "/api/v1/data/social/tweets/recent",
      payload: { query: "comet" },
    });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.headers.ratelimit).toContain('"search";r=9');
  });

  test("two keys of different accounts do not share them", async () => {
    const [one, other] = [await quickKey(), await quickKey()];
    await service.submit(one, search("comet"));
    const answer = await service.submit(other, search("comet"));
    expect(answer.headers.ratelimit).toContain('"search";r=9');
  });
});
