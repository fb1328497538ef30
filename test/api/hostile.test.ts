import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLog } from "../../src/server/log.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let key: string;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLog("trace", { write: (line) => logged.push(line) });
  service = await startServiceUnderTest({}, { log });
  key = await service.makeKey();
});
afterAll(() => service.remove());

const paths = [
  "/v1/search/live/social",
  "/v1/search/live",
  "/api/v1/data/social/tweets/recent",
] as const;

/** Expects a documented response, and a complete problem for an error. */
async function expectDocumentedAnswer(path: string, body: string): Promise<void> {
  const response = await service.submit(key, body, path);
  expect([200, 202, 400, 413, 422], `${path} ${body}`).toContain(response.statusCode);
  if (response.statusCode < 400) return;
  const problem = response.json();
  expect(problem.status).toBe(response.statusCode);
  expect(problem.error).not.toBe("");
}

test("any body gets a documented response", async () => {
  const body = fc.oneof(fc.json(), fc.string({ unit: "binary" }));
  await fc.assert(fc.asyncProperty(fc.constantFrom(...paths), body, expectDocumentedAnswer), {
    numRuns: 300,
  });
});

test("any arguments get a documented response", async () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("", 0, 1, 1e2, "newest", "social"));
  const submission = fc.record({
    type: fc.constantFrom("social", "bluesky-api", "constructor", "__proto__"),
    arguments: fc
      .record(
        {
          query: fc.oneof(fc.string({ unit: "binary", maxLength: 60 }), value),
          max_results: value,
          count: value,
          start_time: value,
          end_time: value,
          next_cursor: value,
          sort: value,
          toString: value,
        },
        { requiredKeys: [] },
      )
      .map((values) => ({ type: "searchbyquery", ...values })),
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), submission, (path, body) =>
      expectDocumentedAnswer(path, JSON.stringify(body)),
    ),
    { numRuns: 300 },
  );
});

test("8 KB of hostile text as a key, uuid or cursor is rejected", async () => {
  const hostile = ["a".repeat(8_000), " ".repeat(8_000), "ear_".repeat(2_000)];
  for (const text of hostile) {
    expect((await service.submit(text, search("comet"))).statusCode).toBe(401);
    const url = `/v1/search/live/social/status/${encodeURIComponent(text)}`;
    const unknown = await service.call(key, { method: "GET", url });
    expect(unknown.statusCode).toBe(404);
    expect(unknown.json().error).not.toBe("");
    const response = await service.submit(key, search("comet", { next_cursor: text }));
    expect(response.statusCode).toBe(400);
  }
});

test("neither queries nor keys appear in the log, nor the key in the error response to a wrong one", async () => {
  const canary = "canaryword";
  const submitted = await service.submit(key, search(canary));
  await service.result(key, submitted.json().uuid);
  const refused = await service.submit(key, search(`${canary} since:never`));
  const wrong = await service.submit(`${key}x`, search(canary));
  expect(refused.statusCode).toBe(400);
  expect(wrong.statusCode).toBe(401);
  expect(wrong.body).not.toContain(key);
  const lines = logged.join("");
  expect(lines).toContain('"route":"/v1/search/live/:platform"');
  expect(lines).not.toContain(canary);
  expect(lines).not.toContain(key);
});
