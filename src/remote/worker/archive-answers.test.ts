import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generatedPost } from "../../../testkit/data/generated.ts";
import { generatedQuery } from "../../../testkit/data/generated-queries.ts";
import type { Archive } from "../../archive/archive.ts";
import { openArchive } from "../../archive/threads/open.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import type { Post } from "../../posts/post.ts";
import { searchArchive } from "../../search/archive/search.ts";
import { withRecords } from "../../search/merge/answer-records.ts";
import { answerBody, answerBytes, readAnswer } from "../protocol/answer.ts";
import { knowledgeText, readRequest, requestText } from "../protocol/texts.ts";
import { dropRefusedRecords } from "./answers.ts";

const nowMs = Date.UTC(2030, 0, 1);
const clock = createManualClock(nowMs);
const folder = mkdtempSync(join(tmpdir(), "earshot-answers-"));
let archive: Archive;

beforeAll(async () => {
  const settings = { readers: 1, segmentPosts: 100, detectLanguage: "off" } as const;
  archive = await openArchive({ dataDir: folder, ...settings, clock });
  const posts = Array.from(
    { length: 300 },
    (_, index) => fc.sample(generatedPost(index), { numRuns: 1, seed: index })[0],
  )
    .filter((post) => post !== undefined)
    .map(asImported);
  await archive.write({ changes: posts.map((post) => ({ kind: "upsert", post })) });
});

function asImported(post: Post): Post {
  const { platform, uri } = post;
  const [, did] = /^at:\/\/([^/]+)/.exec(uri) ?? [];
  if (did !== undefined) return { ...post, userId: did };
  const name = uri.startsWith("uri:") ? { uri: `import:${platform}:${uri.slice(4)}` } : {};
  return { ...post, ...name };
}

afterAll(async () => {
  await archive.close();
  rmSync(folder, { recursive: true });
});

const fields = {
  "content-digest": "",
  "content-type": "",
  "earshot-job": "",
  "signature-input": "",
  signature: "",
};

const omittedChecks: string[] = [];

async function roundTrip(request: AnswerRequest) {
  const source = {
    archive,
    clock,
    streamedPlatforms: ["x", "bluesky"] as const,
    coverageSlackMs: 0,
    liveSinceMs: () => 0,
  };
  const sourceAnswer = await searchArchive(source, request, nowMs + 60_000);
  const answer = await dropRefusedRecords(
    request,
    await withRecords(archive, sourceAnswer),
    (check) => omittedChecks.push(check),
  );
  const knowledge = knowledgeText(answer);
  const bytes = answerBytes({
    body: answerBody(answer.items),
    items: answer.items,
    knowledge,
    fields,
  });
  const received = await readAnswer(bytes, readRequest(requestText(request)));
  return { sent: answer, received: received.answer };
}

test("every answer of a node's archive to any query, window and page is accepted unchanged", async () => {
  const queries = [
    "lang:en",
    "-filter:replies",
    ...fc.sample(generatedQuery, { numRuns: 120, seed: 5 }),
  ];
  let items = 0;
  for (const [index, query] of queries.entries()) {
    const fromMs = index % 3 === 0 ? null : nowMs - (index + 1) * 200 * 86_400_000;
    const commonFields = { query, fromMs, toMs: nowMs, asOfMs: nowMs, maxResults: 20 };
    const platform = (["social", "x", "bluesky", "mastodon"] as const)[index % 4] ?? "social";
    let after: AnswerRequest["after"] = null;
    for (let page = 0; page < 2; page += 1) {
      const request = {
        ...commonFields,
        platform,
        after,
        type: "social",
        method: "searchbyquery",
      } as const;
      const { sent, received } = await roundTrip(request);
      expect(received).toEqual({ nextPosition: null, ...sent });
      items += received.items.length;
      after = sent.next;
      if (after === null) break;
    }
  }
  expect(items).toBeGreaterThan(200);
  expect(omittedChecks).toEqual([]);
});
