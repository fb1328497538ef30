import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import { until } from "../../testkit/until.ts";

/** On PostgreSQL, a submission's search is counted with its request, before the body is read. */
let service: ServiceUnderTest;

beforeAll(async () => {
  service = await startServiceUnderTest();
});
afterAll(() => service?.remove());

const newKey = () => service.makeKey({ requestsPerSecond: 100, submissionsPerMinute: 2 });

async function searchesLeft(key: string): Promise<string | undefined> {
  const response = await service.call(key, { url: "/v1/search/live/social/jobs" });
  return /"search";r=(\d+)/.exec(String(response.headers.ratelimit))?.[1];
}

test.each([
  ["a body that is not JSON", "{", 400],
  ["a query that cannot be parsed", search("since:2026-02-30"), 400],
  ["an unknown method", { type: "social", arguments: { type: "none", query: "comet" } }, 400],
])("a submission with %s does not count as a search", async (_what, payload, status) => {
  const key = await newKey();
  const response = await service.call(key, {
    method: "POST",
    url: "/v1/search/live/social",
    headers: { "content-type": "application/json" },
    payload,
  });
  expect(response.statusCode).toBe(status);
  expect(response.headers.ratelimit).toContain('"search";r=2');
  expect(await searchesLeft(key)).toBe("2");
});

test("a submission whose client disconnects while sending the body does not count as a search", async () => {
  const key = await newKey();
  const { port } = service.app.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1");
  socket.write(
    `POST /v1/search/live/social HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
  );
  await until("the request to be counted", async () =>
    (await searchesLeft(key)) === "1" ? true : null,
  );
  socket.destroy();
  await until("its search to be returned", async () =>
    (await searchesLeft(key)) === "2" ? true : null,
  );
});

test("at two searches a minute, the third and the fourth are rejected", async () => {
  const key = await newKey();
  const statuses: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    statuses.push((await service.submit(key, search("comet"))).statusCode);
  }
  expect(statuses).toEqual([202, 202, 429, 429]);
  expect(await searchesLeft(key)).toBe("0");
});
