import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { databaseSettings } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

/** Only the first has posts and a node. */
let first: ServiceUnderTest;
let second: ServiceUnderTest;
let key: string;
let shared: Record<string, string>;

beforeAll(async () => {
  shared = await databaseSettings();
  first = await startServiceUnderTest(shared);
  second = await startServiceUnderTest({ ...shared, EARSHOT_EMBEDDED_NODE: "off" });
  const createdMs = first.clock.now() - 60_000;
  await first.addPosts([makePost({ text: "a comet over the harbour", createdMs })]);
  await first.context.capabilities.refresh();
  key = await first.makeKey();
  const knowsOthers = ({ context: { sharing } }: ServiceUnderTest) =>
    sharing.otherGateways().some(({ capabilities }) => capabilities.length > 0);
  await until("each gateway to know the other", () =>
    first.context.sharing.otherGateways().length > 0 && knowsOthers(second) ? true : null,
  );
});
afterAll(async () => {
  await second?.remove();
  await first?.remove();
});

async function keyAccount(key: string): Promise<string> {
  const { keys } = await first.context.store
    .read("listKeys", null)
    .then((listed) => ({ keys: listed }));
  const [own] = keys.filter(({ id }) => key.includes(id));
  if (own === undefined) throw new Error("the key is not listed");
  return own.accountId;
}

async function getUuid(gateway: ServiceUnderTest, query = "comet", of = key): Promise<string> {
  const response = await gateway.submit(of, search(query));
  expect(response.statusCode).toBe(202);
  return response.json().uuid;
}

describe("a job submitted at one gateway", () => {
  test("a job submitted at one gateway can be fetched at the other", async () => {
    const uuid = await getUuid(first);
    for (const gateway of [second, first]) {
      const result = await gateway.result(key, uuid);
      expect(result.statusCode).toBe(200);
      expect(result.body).toContain("a comet over the harbour");
    }
  });

  test("a job submitted at one gateway can run on a node of the other, and a pending request gets its result immediately", async () => {
    const uuid = await getUuid(second);
    const startedMs = performance.now();
    const result = await second.result(key, uuid);
    expect(result.statusCode).toBe(200);
    expect(result.body).toContain("a comet over the harbour");
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  test("an idempotency key creates one job, even if it is sent to several gateways", async () => {
    const payload = JSON.stringify(search("harbour"));
    const submit = (gateway: ServiceUnderTest) =>
      gateway.call(key, {
        method: "POST",
        url: "/v1/search/live/social",
        headers: { "content-type": "application/json", "idempotency-key": "once" },
        payload,
      });
    const responses = await Promise.all([first, second, first, second, second].map(submit));
    expect(new Set(responses.map((response) => response.json().uuid)).size).toBe(1);
  });

  test("change readers at both gateways get changes in order, including the last change of each job", async () => {
    // Changes of other jobs may still arrive.
    const own = await first.makeKey();
    const accountId = await keyAccount(own);
    const stopping = new AbortController();
    const seen = await Promise.all(
      [first, second].map(async ({ context }) => {
        const changes = await context.queue.changes(accountId, null, stopping.signal);
        return { changes, ids: [] as number[], states: new Map<string, string>() };
      }),
    );
    const reading = seen.map(async ({ changes, ids, states }) => {
      for await (const { id, uuid, state } of changes) {
        ids.push(id);
        states.set(uuid, state);
      }
    });
    const uuids: string[] = [];
    for (let turn = 0; turn < 10; turn += 1)
      uuids.push(await getUuid(turn % 2 ? first : second, "comet", own));
    for (const uuid of uuids) await first.result(own, uuid);
    const [one, other] = seen.map(({ ids }) => ids);
    // States in between may be skipped.
    await until("the end of each job", () =>
      seen.every(({ states }) => uuids.every((uuid) => states.get(uuid) === "done")) ? true : null,
    );
    stopping.abort();
    await Promise.all(reading);
    expect(one).toEqual(one?.toSorted((a, b) => a - b));
    expect(other).toEqual(other?.toSorted((a, b) => a - b));
  });
});

test("both gateways together enforce the rate of a key", async () => {
  const limited = await first.makeKey({ requestsPerSecond: 5, submissionsPerMinute: 3 });
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? first : second).call(limited, {
        method: "GET",
        url: "/v1/search/live/social/jobs",
      }),
    ),
  );
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(5);
});

test("a gateway with a wrong clock uses the database's time for jobs", async () => {
  second.clock.shiftWall(3_600_000);
  try {
    const submittedMs = first.clock.now();
    const uuid = await getUuid(second);
    expect((await first.result(key, uuid)).statusCode).toBe(200);
    const status = await second.call(key, {
      method: "GET",
      url: `/v1/search/live/social/status/${uuid}`,
    });
    const { submitted_at: shown, status: state } = status.json();
    expect(Math.abs(Date.parse(shown) - submittedMs)).toBeLessThan(5_000);
    expect(state).toBe("done");
    const found = await second.call(key, {
      method: "POST",
      url: "/v1/search/social",
      payload: { query: "comet" },
    });
    expect(found.statusCode).toBe(200);
  } finally {
    second.clock.shiftWall(-3_600_000);
  }
});

test("one gateway is the leader, and another takes over when the leader stops", async () => {
  const own = await databaseSettings();
  const gateways = [await startServiceUnderTest(own), await startServiceUnderTest(own)];
  const leaders = () => gateways.filter(({ context }) => context.sharing.gateway.isLeader());
  try {
    const leader = await until("a leader", () => leaders()[0] ?? null);
    expect(leaders()).toHaveLength(1);
    const other = gateways.find((gateway) => gateway !== leader);
    await leader.stop();
    await until("the other to lead", () => (leaders()[0] === other ? true : null), 5_000);
  } finally {
    for (const gateway of gateways) await gateway.remove();
  }
});

test("a search that waits at one gateway can be cancelled at the other", async () => {
  const uuid = await getUuid(second, "tram");
  const url = `/v1/search/live/social/status/${uuid}`;
  const cancelled = await first.call(key, { method: "DELETE", url });
  const status = await second.call(key, { method: "GET", url: `${url}?wait=5` });
  if (cancelled.statusCode === 200) expect(status.json().status).toBe("cancelled");
  else expect([cancelled.statusCode, status.statusCode]).toEqual([204, 404]);
});
