import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Phase, runSearch } from "./search.ts";
import { readRequest } from "./search-request.ts";

const comet = readRequest("q=comet");
const empty = { uuid: "0f8f", results: [], next_cursor: null, complete: true };

const refusal = (code: string, seconds: number) => () =>
  Response.json({ code }, { status: 429, headers: { "retry-after": String(seconds) } });
const success = () => Response.json(empty);

function stubServer(...responses: readonly (() => Response)[]) {
  const remaining = [...responses];
  const fetchMock = vi.fn(async () => (remaining.shift() ?? success)());
  vi.stubGlobal("fetch", fetchMock);
  return fetchMock;
}

function runTestSearch() {
  const phases: Phase["kind"][] = [];
  const outcome = runSearch(comet, null, new AbortController().signal, ({ kind }) => {
    phases.push(kind);
  }).then(
    ({ elapsedMs }) => ({ elapsedMs, phases }),
    (error: { code?: string }) => ({ refusedAs: error.code, phases }),
  );
  return outcome;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a search waits for the rate limit, and the wait is excluded from the elapsed time", async () => {
  const fetchMock = stubServer(refusal("rate_limited", 30));
  const outcome = runTestSearch();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await outcome).toEqual({ elapsedMs: 0, phases: ["waiting", "sent"] });
  expect(fetchMock).toHaveBeenCalledTimes(2);
});

test("a search waits at most two minutes for the rate limit", async () => {
  const fetchMock = stubServer(...Array.from({ length: 4 }, () => refusal("rate_limited", 50)));
  const outcome = runTestSearch();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(await outcome).toMatchObject({ refusedAs: "rate_limited" });
  expect(fetchMock).toHaveBeenCalledTimes(3);
});

test("a search fails immediately on other temporary errors", async () => {
  const fetchMock = stubServer(refusal("too_many_failed_keys", 1));
  expect(await runTestSearch()).toEqual({ refusedAs: "too_many_failed_keys", phases: [] });
  expect(fetchMock).toHaveBeenCalledTimes(1);
});
