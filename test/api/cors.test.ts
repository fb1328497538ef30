import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

/** Cross-origin access requires EARSHOT_CORS_ORIGINS and never uses cookies. */
const page = "https://app.example";
const submitPath = "/v1/search/live/social";
let closed: ServiceUnderTest;
let listed: ServiceUnderTest;
let open: ServiceUnderTest;

beforeAll(async () => {
  [closed, listed, open] = await Promise.all([
    startServiceUnderTest(),
    startServiceUnderTest({ EARSHOT_CORS_ORIGINS: `${page}, http://localhost:3000` }),
    startServiceUnderTest({ EARSHOT_CORS_ORIGINS: "*" }),
  ]);
});
afterAll(async () => {
  await Promise.all([closed, listed, open].map((service) => service.remove()));
});

const preflight = (service: ServiceUnderTest, url: string, origin = page, method = "POST") =>
  service.call(null, {
    method: "OPTIONS",
    url,
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type",
    },
  });

const corsFields = ({ headers }: { headers: Record<string, unknown> }): string[] =>
  Object.keys(headers).filter((name) => name.startsWith("access-control-"));

describe("OPTIONS", () => {
  test.each([
    [submitPath, "OPTIONS, POST"],
    [
      "/v1/search/live/social/result/0f8fad5b-d9cb-469f-a165-70867728950e",
      "DELETE, GET, HEAD, OPTIONS",
    ],
    ["/livez", "GET, HEAD, OPTIONS"],
  ])("an OPTIONS request on %s returns 204 with Allow and needs no key", async (url, allow) => {
    const response = await closed.call(null, { method: "OPTIONS", url });
    expect(response.statusCode).toBe(204);
    expect(response.body).toBe("");
    expect(response.headers.allow).toBe(allow);
    expect(corsFields(response)).toEqual([]);
  });

  test("an OPTIONS request on an unknown path returns 404", async () => {
    for (const url of ["/v1/search/live/reddit", "/v1/nothing"]) {
      expect((await open.call(null, { method: "OPTIONS", url })).statusCode).toBe(404);
    }
  });
});

describe("a service without the CORS setting", () => {
  test("a page of another origin gets no CORS headers without the CORS setting", async () => {
    expect(corsFields(await preflight(closed, submitPath))).toEqual([]);
    const response = await closed.call(await closed.makeKey(), {
      url: "/v1/search/live/social/jobs",
      headers: { origin: page },
    });
    expect(response.statusCode).toBe(200);
    expect(corsFields(response)).toEqual([]);
  });
});

describe("a preflight", () => {
  test("a preflight allows the methods and header fields of the route", async () => {
    const response = await preflight(listed, submitPath);
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": page,
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "authorization, content-type, idempotency-key, prefer",
      "access-control-max-age": "600",
      vary: "Origin",
    });
    const events = await preflight(listed, "/v1/search/live/social/events", page, "GET");
    expect(events.headers).toMatchObject({
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "authorization, last-event-id",
    });
  });

  test("a preflight from an unlisted origin gets no CORS headers", async () => {
    for (const origin of ["https://evil.example", "null", `${page}.evil.example`, `${page}:444`]) {
      const response = await preflight(listed, submitPath, origin);
      expect(corsFields(response), origin).toEqual([]);
      expect(response.headers.vary).toBe("Origin");
    }
  });
});

test("responses expose their header fields to the page, including errors", async () => {
  for (const [service, allowed] of [
    [listed, page],
    [open, "*"],
  ] as const) {
    const key = await service.makeKey();
    const headers = { origin: page };
    const accepted = await service.call(key, {
      method: "POST",
      url: submitPath,
      headers,
      payload: search("comet"),
    });
    const refused = await service.call(null, { url: "/v1/search/live/social/jobs", headers });
    expect([accepted.statusCode, refused.statusCode]).toEqual([202, 401]);
    for (const response of [accepted, refused]) {
      expect(response.headers["access-control-allow-origin"]).toBe(allowed);
      const exposed = String(response.headers["access-control-expose-headers"]).split(", ");
      expect(exposed).toEqual(
        expect.arrayContaining([
          "X-Coverage",
          "X-Warnings",
          "X-Next-Cursor",
          "RateLimit",
          "RateLimit-Policy",
          "Location",
          "Retry-After",
          "X-Request-Id",
        ]),
      );
    }
    const searchAnswer = await service.call(key, {
      method: "POST",
      url: "/v1/search/social",
      headers,
      payload: search("comet"),
    });
    expect(searchAnswer.headers.vary).toBe(allowed === "*" ? "Accept" : "Accept, Origin");
  }
});

test("CORS never allows credentials or dashboard routes", async () => {
  const session = await open.signIn();
  for (const url of ["/dashboard/api/session", "/dashboard", "/auth/github", "/metrics", "/docs"]) {
    const responses = [
      await preflight(open, url),
      await open.call(null, { url, headers: { origin: page, cookie: session.cookie } }),
    ];
    for (const response of responses) expect(corsFields(response), url).toEqual([]);
  }
  for (const service of [open, listed]) {
    const response = await preflight(service, submitPath);
    expect(response.headers["access-control-allow-credentials"]).toBeUndefined();
  }
});
