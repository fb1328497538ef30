import { afterEach, expect, test, vi } from "vitest";
import { endSearch } from "./use-search.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

function endTwice(uuid: string | null) {
  const fetchMock = vi.fn(async (_path: string, _options: { method: string }) => Response.json({}));
  vi.stubGlobal("fetch", fetchMock);
  const control = new AbortController();
  const search = { control, uuid };
  endSearch(search);
  endSearch(search);
  const requests = fetchMock.mock.calls.map(([path, { method }]) => `${method} ${path}`);
  return { requests, isAborted: control.signal.aborted };
}

test("cancelling a search cancels its job once", () => {
  expect(endTwice("0f8f")).toEqual({
    requests: ["DELETE /v1/search/live/social/status/0f8f"],
    isAborted: true,
  });
});

test("cancelling a search without a job only aborts its request", () => {
  expect(endTwice(null)).toEqual({ requests: [], isAborted: true });
});
