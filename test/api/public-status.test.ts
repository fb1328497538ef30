import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { publicStatus } from "../../src/http/schemas/public-status.ts";
import { makePost } from "../../testkit/data/make-post.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
const hourMs = 3_600_000;

beforeAll(async () => {
  service = await startServiceUnderTest();
  const nowMs = service.clock.now();
  const stored = { platform: "bluesky", collection: "posts", account: null, source: "x" } as const;
  await service.addPosts([makePost({ key: "one", text: "comet", createdMs: nowMs - 60_000 })]);
  await service.context.archive.write({
    changes: [],
    coverage: [{ ...stored, fromMs: nowMs - 5 * hourMs, toMs: nowMs + hourMs }],
  });
});
afterAll(() => service.remove());

const getStatus = () => service.call(null, { url: "/v1/status" });

test("the public status shows coverage and streams without a key, and nothing about accounts", async () => {
  const response = await getStatus();
  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers["cache-control"]).toBe("public, max-age=5");
  const body = response.json();
  expect(publicStatus.parse(body)).toEqual(body);
  expect(body).toMatchObject({ status: "ready" });
  const [bluesky] = body.platforms;
  expect(bluesky).toMatchObject({
    platform: "bluesky",
    mode: "archived",
    posts: 1,
    stream: null,
    coverage: { gaps: [], complete_since: expect.any(String) },
  });
  expect(bluesky.coverage.held).toHaveLength(1);
});

test("many requests within five seconds read the archive at most once", async () => {
  service.clock.move(60_000);
  const stats = vi.spyOn(service.context.archive, "stats");
  const bodies = new Set<string>();
  for (let round = 0; round < 20; round += 1) {
    const responses = await Promise.all(Array.from({ length: 10 }, getStatus));
    for (const { body } of responses) bodies.add(body);
  }
  expect(bodies.size).toBe(1);
  expect(stats.mock.calls.length).toBeLessThanOrEqual(1);
  service.clock.move(60_000);
  expect(bodies).not.toContain((await getStatus()).body);
  stats.mockRestore();
});

test("the path /status redirects to the status page", async () => {
  const response = await service.call(null, { url: "/status" });
  expect([response.statusCode, response.headers.location]).toEqual([302, "/dashboard/status"]);
});
