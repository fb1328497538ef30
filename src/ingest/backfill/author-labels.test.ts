import { Headers } from "undici";
import { expect, test } from "vitest";
import { fetchedResponse } from "../../lib/fetched-response.ts";
import { authorLabels } from "./author-labels.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

test("reading the labels of an account fails if their pages do not end", async () => {
  const page = Buffer.from(JSON.stringify({ labels: [{}], cursor: "next" }));
  let pages = 0;
  const fetch: PoliteFetch = {
    get: async (url) => {
      pages += 1;
      return fetchedResponse(url, { status: 200, headers: new Headers() }, page);
    },
    post: async () => Promise.reject(new Error("nothing is posted")),
    stream: async () => Promise.reject(new Error("nothing is streamed")),
  };
  const labeler = { url: "https://labels.example", sources: ["did:plc:labeler"] };
  const subjects = { did: "did:plc:ann", uris: [], nowMs: 1 };
  const read = async () => {
    for await (const _labels of authorLabels(fetch, labeler, subjects));
  };
  await expect(read()).rejects.toMatchObject({
    code: "answer_unreadable",
    message: expect.stringContaining("labels.example"),
  });
  expect(pages).toBe(10_001);
});
