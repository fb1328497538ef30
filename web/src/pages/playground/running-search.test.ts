import { afterEach, expect, test, vi } from "vitest";
import type { JobStateName } from "../../components/state.tsx";
import { endSearch } from "./use-search.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

async function endTwice(uuid: string | null, status: JobStateName = "in progress") {
  const fetchMock = vi.fn(async (_path: string, _options: { method: string }) =>
    Response.json({ status }),
  );
  vi.stubGlobal("fetch", fetchMock);
  const control = new AbortController();
  const search = { control, uuid };
  endSearch(search);
  endSearch(search);
  await new Promise((resolve) => setTimeout(resolve));
  const requests = fetchMock.mock.calls.map(([path, { method }]) => `${method} ${path}`);
  return { requests, isAborted: control.signal.aborted };
}

test("cancelling a search cancels its job once", async () => {
  expect(await endTwice("0f8f")).toEqual({
    requests: ["GET /v1/search/live/status/0f8f", "DELETE /v1/search/live/status/0f8f"],
    isAborted: true,
  });
});

test("cancelling a search whose job has just ended does not delete its result", async () => {
  const { requests } = await endTwice("0f8f", "done");
  expect(requests).toEqual(["GET /v1/search/live/status/0f8f"]);
});

test("cancelling a search without a job only aborts its request", async () => {
  expect(await endTwice(null)).toEqual({ requests: [], isAborted: true });
});
