import { expect, test } from "vitest";
import type { Api } from "./api.ts";
import { ApiError } from "./api.ts";
import { runSearch } from "./run-search.ts";

const search = {
  platform: "social",
  arguments: { type: "searchbyquery", query: "comet" },
  maxChars: 500,
};
const done = {
  uuid: "u1",
  results: [],
  next_cursor: null,
  complete: true,
  coverage: null,
  warnings: [],
  canonical_query: "comet",
};

type Sent = Parameters<Api>[0];

function scripted(responses: readonly [status: number, body: object][]) {
  const sentRequests: Sent[] = [];
  const reports: string[] = [];
  const stop = new AbortController();
  const api: Api = async (request) => {
    const [status, body] = responses[sentRequests.length] ?? [500, {}];
    sentRequests.push(request);
    return { status, text: JSON.stringify(body) };
  };
  const report = async (message: string): Promise<void> => void reports.push(message);
  let uuids = 0;
  const randomUuid = (): string => `key-${++uuids}`;
  return {
    sent: sentRequests,
    reports,
    stop,
    context: { api, randomUuid, signal: stop.signal, report },
  };
}

test("a search that takes longer than one request is repeated with the same Idempotency-Key and reports progress", async () => {
  const { sent, reports, context } = scripted([
    [202, { uuid: "u1" }],
    [202, { uuid: "u1" }],
    [200, done],
  ]);
  expect(await runSearch(search, context)).toMatchObject({ uuid: "u1", complete: true });
  expect(new Set(sent.map(({ headers }) => headers?.["idempotency-key"]))).toEqual(
    new Set(["key-1"]),
  );
  expect(reports).toEqual(["still searching after 10 s", "still searching after 20 s"]);
});

test("a cancelled call cancels its job", async () => {
  const { sent, stop, context } = scripted([
    [202, { uuid: "u1" }],
    [200, { uuid: "u1", status: "cancelled" }],
  ]);
  stop.abort(new Error("cancelled"));
  await expect(runSearch(search, context)).rejects.toThrow("cancelled");
  expect(sent.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/search/live/social/status/u1" });
});

test("a search that never ends is abandoned, and the error names its job", async () => {
  const { context } = scripted(Array.from({ length: 20 }, () => [202, { uuid: "u1" }]));
  await expect(runSearch(search, context)).rejects.toThrow("job u1");
});

test("an error response becomes an error that says what is wrong and how to fix it", async () => {
  const problem = {
    title: "The query is invalid",
    code: "invalid_query",
    detail: "the query has an error",
    errors: [{ message: "min_faves: needs a number", hint: "write min_faves:10" }],
    hint: "see /docs/query-language",
  };
  const { context } = scripted([[400, problem]]);
  const refusal = await runSearch(search, context).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(String(refusal)).toContain(
    "The query is invalid (invalid_query): the query has an error\n- min_faves: needs a number\n  Fix: write min_faves:10\nFix: see /docs/query-language",
  );
});
