import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import { connectTo } from "../../testkit/service/connect-to.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

const path = "/v1/search/live/social";
const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";

let service: ServiceUnderTest;
let key: string;
beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_TRUSTED_PROXIES: "127.0.0.1" });
  key = await service.makeKey();
});
afterAll(() => service.remove());

async function exchange(...lines: readonly string[]): Promise<string> {
  const socket = await connectTo(service.url);
  let text = "";
  socket.on("data", (bytes) => {
    text += String(bytes);
  });
  socket.write([...lines, "Connection: close", "", ""].join("\r\n"));
  await once(socket, "close");
  return text;
}

describe("Cache-Control", () => {
  const job = () => service.submit(key, search("comet")).then((response) => response.json().uuid);

  test("the Cache-Control of every response to a key is private, no-store, including errors", async () => {
    const ownUuid: string = await job();
    const urls = [
      `${path}/status/${ownUuid}`,
      `${path}/result/${ownUuid}?wait=30`,
      `${path}/result/${ownUuid}/proof`,
      `${path}/jobs`,
      `${path}/status/${uuid}`,
      `${path}/result/${uuid}`,
      `${path}/jobs?limit=none`,
      "/v1/search/social/counts?query=comet",
      "/v1/search/live/nowhere/jobs",
      "/v1/webhooks",
      `/v1/webhooks/${uuid}`,
      "/v1/attestations/none",
      "/v1/nothing",
      "/v1/%zz",
      "/api/v1/nothing",
      path,
    ];
    for (const url of urls) {
      const response = await service.call(key, { method: "GET", url });
      expect(response.headers["cache-control"], url).toBe("private, no-store");
    }
    const posted = [
      await service.submit(key, search("comet")),
      await service.submit(key, "{"),
      await service.submit("nobody", search("comet")),
      await service.submit(key, { query: "comet" }, "/api/v1/data/social/tweets/recent"),
      await service.submit(key, { query: "comet" }, "/v1/search/social"),
      await service.call(key, { method: "DELETE", url: `${path}/status/${ownUuid}` }),
    ];
    for (const response of posted) {
      expect(response.headers["cache-control"], response.body).toBe("private, no-store");
    }
  });

  test("the Cache-Control of responses that are the same for all callers is public", async () => {
    for (const url of ["/docs", "/v1/nodes", "/v1/attestation/policy"]) {
      const response = await service.call(null, { method: "GET", url });
      expect(response.headers["cache-control"], url).toContain("public");
    }
  });
});

describe("an ambiguous header field", () => {
  const validKey = () => `Authorization: Bearer ${key}`;

  test.each([
    ["two keys", () => [validKey(), "authorization: Bearer nobody"]],
    ["the same key twice", () => [validKey(), validKey()]],
    ["a key and a name with a password", () => ["Authorization: Basic ZWFyOmVhcg==", validKey()]],
    ["two hosts", () => [validKey(), "Host: b"]],
  ])(
    "an ambiguous header field returns 400 on a path that needs a key and on one that does not: %s",
    async (_, fields) => {
      for (const target of [`${path}/jobs`, "/livez"]) {
        const answer = await exchange(`GET ${target} HTTP/1.1`, "Host: a", ...fields());
        expect(answer).toMatch(/^HTTP\/1\.1 400 /);
        expect(answer).toContain('"code":"invalid_request"');
      }
    },
  );

  test("a request with one key in one header field is accepted", async () => {
    const answer = await exchange(`GET ${path}/jobs HTTP/1.1`, "Host: a", validKey());
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("wrong keys from a client behind a trusted proxy", () => {
  async function fetchStatuses(forwarded: readonly string[], wrongKey: (n: number) => string) {
    const statuses: number[] = [];
    for (const [n, from] of forwarded.entries()) {
      const headers = { "x-forwarded-for": from };
      const response = await service.call(wrongKey(n), {
        method: "GET",
        url: `${path}/jobs`,
        headers,
      });
      statuses.push(response.statusCode);
    }
    return statuses;
  }

  const thirty = Array.from({ length: 30 }, (_, n) => n);

  withFileStore.each([
    ["ports", (n: number) => `203.0.113.1:${5_000 + n}`],
    ["IPv6 ports", (n: number) => `[2001:db8:2::9]:${5_000 + n}`],
    ["addresses of one IPv6 network", (n: number) => `2001:db8:3::${n + 1}`],
    ["spellings of one address", (n: number) => (n % 2 ? "203.0.113.4" : "::ffff:203.0.113.4")],
    ["values that are not addresses", (n: number) => `caller-${n}`],
  ])(
    "wrong keys from a client behind a trusted proxy count together, regardless of the %s they claim",
    async (_, forwardedOf) => {
      service.clock.move(61_000);
      const statuses = await fetchStatuses(thirty.map(forwardedOf), (n) => `ear_wrong${n}`);
      expect(new Set(statuses)).toEqual(new Set([401]));
      expect(await fetchStatuses([forwardedOf(30)], () => key)).toEqual([429]);
    },
  );
});
