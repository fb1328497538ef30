import { Headers } from "undici";
import { expect, test } from "vitest";
import { fetchedResponse } from "../../lib/fetched-response.ts";
import { openNetworkReplay } from "./network-replay.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

const url = "https://replay.example";

function fetchFrom(pageOf: (method: string, page: number) => object): PoliteFetch {
  let pages = 0;
  const respond = async (requested: URL) => {
    pages += 1;
    const body = Buffer.from(JSON.stringify(pageOf(requested.pathname.slice(6), pages)));
    return fetchedResponse(requested, { status: 200, headers: new Headers() }, body);
  };
  const stream = async () => Promise.reject(new Error("nothing is streamed"));
  return { get: respond, post: respond, stream };
}

test("a replay fails if its list of segments does not end", async () => {
  const replay = openNetworkReplay(
    fetchFrom(() => ({ segments: [], cursor: "next" })),
    { url, token: null },
  );
  await expect(replay.archiveSpan()).rejects.toMatchObject({
    code: "replay_unreadable",
    message: expect.stringContaining("replay.example"),
  });
});

test("a replay fails if its plan does not end", async () => {
  const numbers = { minSeq: 1, maxSeq: 1e9, minWitnessedAt: 1_000_000, maxWitnessedAt: 2_000_000 };
  const fetch = fetchFrom((method, page) =>
    method.endsWith("listSegments")
      ? { segments: [{ name: "one", ...numbers }] }
      : { segments: [], plannedThroughSeq: page, sealedTipSeq: 1e9 },
  );
  const replay = openNetworkReplay(fetch, { url, token: null });
  const read = async () => {
    for await (const _block of replay.blocks({ fromMs: 0, toMs: 10_000 }, ["app.bsky.feed.post"]));
  };
  await expect(read()).rejects.toMatchObject({
    code: "replay_unreadable",
    message: expect.stringContaining("plan"),
  });
});
