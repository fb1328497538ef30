import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeAnswer, nowMs, postItem, testRequest } from "../../../testkit/nodes/proof.ts";
import { EarshotError } from "../../lib/errors.ts";
import { type FetchMethod, methods } from "../../platforms/methods.ts";
import { readTarget } from "../../platforms/read-target.ts";
import type { AnswerRequest, FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import type { Target } from "../../platforms/target.ts";
import { lastId, lowestId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { answerBody, answerBytes, type NodeAnswer, readAnswer } from "./answer.ts";
import {
  failureBytes,
  knowledgeText,
  readFailure,
  readKnowledge,
  readRequest,
  requestText,
} from "./texts.ts";

const fields = {
  "content-digest": "a",
  "content-type": "b",
  "earshot-job": "c",
  "signature-input": "d",
  signature: "e",
};

const nodeAnswer = (answer: SourceAnswer, overrides: Partial<NodeAnswer> = {}): NodeAnswer => {
  const items = answer.items.filter((item) => "record" in item);
  return { body: answerBody(items), items, knowledge: knowledgeText(answer), fields, ...overrides };
};

function itemNamed(overrides: Partial<FetchedItem>, metadata: object = {}): FetchedItem {
  const item = { ...postItem(1), ...overrides };
  const { platform, uri, userId } = item;
  const { ID, Content, Metadata, Score } = JSON.parse(item.record);
  const reportedMetadata = { ...Metadata, platform, uri, user_id: userId, ...metadata };
  const name = overrides.id == null ? ID : overrides.id.toString();
  return {
    ...item,
    record: JSON.stringify({ ID: name, Content, Metadata: reportedMetadata, Score }),
  };
}

const methodQueries: readonly [FetchMethod, string, Platform][] = [
  ["gettweets", "alice.example", "bluesky"],
  ["getmedia", " @Alice.Example", "bluesky"],
  ["getfollowers", "https://bsky.app/profile/did:plc:ann", "bluesky"],
  ["getprofilebyid", "did:plc:ann", "bluesky"],
  ["searchbyprofile", "@ann@mas.to", "mastodon"],
  ["getfollowing", "109@mas.to", "mastodon"],
  ["gettweets", "ann", "mastodon"],
  ["gettweets", "ann", "x"],
  ["getprofilebyid", "x:12", "x"],
  ["getprofilebyid", "12", "x"],
  ["getbyid", "20", "x"],
  ["getbyid", "7", "mastodon"],
  ["getbyid", "7", "bluesky"],
  ["getretweeters", "https://x.com/ann/status/20?s=1", "x"],
  ["getreplies", "at://did:plc:ann/app.bsky.feed.post/3k", "bluesky"],
  ["getreplies", "https://bsky.app/profile/ann.example/post/3k", "bluesky"],
  ["getreplies", "https://mas.to/@ann/109", "mastodon"],
  ["getreplies", "import:mastodon:7@mas.to", "mastodon"],
  ["getspace", "https://x.com/i/spaces/1abc", "x"],
  ["gettrends", "", "x"],
  ["gethometweets", "whatever", "bluesky"],
];

async function decodeOutcome(
  bytes: Uint8Array | (() => Uint8Array),
  request: AnswerRequest = testRequest,
): Promise<string> {
  return await getCode(() => readAnswer(typeof bytes === "function" ? bytes() : bytes, request));
}

async function getCode(read: () => unknown): Promise<string> {
  try {
    await read();
    return "accepted";
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    expect(["answer_refused", "job_refused"]).toContain(error.code);
    return error.details[0]?.code ?? "";
  }
}

const itemsOutcome = (items: readonly FetchedItem[], request?: AnswerRequest): Promise<string> =>
  decodeOutcome(answerBytes(nodeAnswer(makeAnswer(items))), request);

const fullAnswer = makeAnswer([postItem(1), postItem(2), postItem(3)]);

describe("an answer", () => {
  test("a node's answer is read as written", async () => {
    const writtenAnswer = nodeAnswer(fullAnswer);
    const result = await readAnswer(answerBytes(writtenAnswer), testRequest);
    expect(result.answer).toEqual(fullAnswer);
    expect(result.body.toString("utf8")).toBe(writtenAnswer.body);
    expect(JSON.parse(writtenAnswer.body)).toHaveLength(3);
    expect(result).toMatchObject({ knowledge: writtenAnswer.knowledge, fields });
    expect(
      (await readAnswer(answerBytes(nodeAnswer(makeAnswer([]))), testRequest)).answer.items,
    ).toEqual([]);
  });

  test("an answer with records other than posts has no post IDs, and is refused for a search", async () => {
    const record = {
      ID: "did:a",
      Content: "",
      Metadata: { kind: "profile", platform: "bluesky", user_id: "did:a" },
      Score: 1,
    };
    const item = {
      platform: "bluesky",
      id: null,
      uri: null,
      userId: "did:a",
      record: JSON.stringify(record),
    } as const;
    const request = {
      ...testRequest,
      platform: "bluesky",
      method: "getfollowers",
      fromMs: null,
    } as const;
    const coverage = { fromMs: null, toMs: nowMs, complete: true, gaps: [] };
    const nextPosition = {
      platform: "bluesky",
      credentialId: null,
      cursor: "c",
      lastKey: null,
      skip: 0,
    } as const;
    const answer = {
      items: [item],
      next: null,
      nextPosition,
      complete: true,
      coverage,
      sources: [],
      warnings: [],
    };
    expect((await readAnswer(answerBytes(nodeAnswer(answer)), request)).answer).toEqual(answer);
    expect(
      await decodeOutcome(answerBytes(nodeAnswer(answer)), { ...request, method: "searchbyquery" }),
    ).toBe("not_a_post");
  });

  test("an answer that continues on a platform other than the requested one is refused", async () => {
    const request = { ...testRequest, method: "gettweets" } as const;
    const position = { credentialId: null, cursor: "c", lastKey: null, skip: 0 };
    const continuingOn = (platform: "x" | "mastodon") =>
      answerBytes(nodeAnswer({ ...fullAnswer, nextPosition: { platform, ...position } }));
    expect(await decodeOutcome(continuingOn("x"), request)).toBe("accepted");
    expect(await decodeOutcome(continuingOn("mastodon"), request)).toBe("other_platform");
  });

  test("a post with an ID from before IDs contained times is checked by its own time", async () => {
    const uri = "https://x.com/i/status/20";
    const record = {
      ID: "20",
      Content: "cats",
      Metadata: {
        platform: "x",
        uri,
        user_id: "12",
        created_at: "2006-03-21T20:50:14.000Z",
        langs: ["en"],
      },
      Score: 1,
    };
    const item = {
      platform: "x",
      id: 20n,
      uri,
      userId: "12",
      record: JSON.stringify(record),
    } as const;
    const earlyRequest = { ...testRequest, fromMs: Date.UTC(2006, 0), toMs: Date.UTC(2007, 0) };
    const coverage = {
      fromMs: earlyRequest.fromMs,
      toMs: earlyRequest.toMs,
      complete: true,
      gaps: [],
    };
    const bytes = answerBytes(nodeAnswer({ ...makeAnswer([item]), coverage }));
    expect(await decodeOutcome(bytes, earlyRequest)).toBe("accepted");
    expect(await decodeOutcome(answerBytes(nodeAnswer(makeAnswer([item]))))).toBe("outside_window");
  });
});

describe("impossible items are refused", () => {
  const item = postItem(1);
  const itemWith = (overrides: Record<string, unknown>): FetchedItem => {
    const record = { ...JSON.parse(item.record), ...overrides };
    return { ...item, record: JSON.stringify(record) };
  };

  const otherUri = "import:x:9";
  const importedItem = (overrides: Partial<FetchedItem>) =>
    itemNamed(overrides, { origin: "import" });
  const olderId = { id: postItem(2).id };

  const blueskyItem = (overrides: Partial<FetchedItem>): FetchedItem => {
    const uri = "at://did:plc:ann/app.bsky.feed.post/3k";
    return itemNamed({ platform: "bluesky", uri, userId: "did:plc:ann", ...overrides });
  };

  test.each([
    [
      "more items than requested",
      Array.from({ length: 11 }, (_, index) => postItem(index + 1)),
      "too_many_items",
    ],
    ["a repeated item", [item, item], "repeated_item"],
    ["the oldest first", [postItem(2), postItem(1)], "out_of_order"],
    ["newer than the window", [postItem(-5)], "outside_window"],
    ["older than the window", [postItem(1_445)], "outside_window"],
    ["of another platform", [blueskyItem({})], "other_platform"],
    ["with an additional member", [itemWith({ More: 1 })], "record_malformed"],
    ["without a text", [itemWith({ Content: null })], "record_malformed"],
    ["with an id that is a number", [itemWith({ ID: 1 })], "record_malformed"],
    ["with a malformed id", [itemWith({ ID: "x" })], "record_malformed"],
    ["with an id that is too great", [itemWith({ ID: `${lastId + 1n}` })], "record_malformed"],
    ["of an unknown kind", [postItem(1, { kind: "other" })], "record_malformed"],
    [
      "with a member twice",
      [{ ...item, record: item.record.replace("{", '{"ID":"1",') }],
      "record_malformed",
    ],
    [
      "in non-canonical JSON",
      [{ ...item, record: item.record.replace('"Score":1', '"Score":1.0') }],
      "record_malformed",
    ],
    ["with spaces", [{ ...item, record: `${item.record} ` }], "record_malformed"],
    ["that are not JSON", [{ ...item, record: "{{" }], "record_malformed"],
    ["that are nested too deeply", [{ ...item, record: "[".repeat(100_000) }], "record_malformed"],
    [
      "one uri under two IDs",
      [importedItem({ uri: otherUri }), importedItem({ uri: otherUri, ...olderId })],
      "repeated_item",
    ],
    [
      "claimed from before the window",
      [postItem(1, { created_at: "2020-01-01T00:00:00Z" })],
      "outside_window",
    ],
    ["of a malformed time", [postItem(1, { created_at: "soon" })], "record_malformed"],
    [
      "of a nonexistent day",
      [postItem(1, { created_at: "2026-02-30T00:00:00Z" })],
      "record_malformed",
    ],
    [
      "with a negative count",
      [postItem(1, { public_metrics: { like_count: -1 } })],
      "record_malformed",
    ],
    [
      "with a count in words",
      [postItem(1, { public_metrics: { like_count: "9" } })],
      "record_malformed",
    ],
    [
      "with a script for its page",
      [postItem(1, { url: "javascript:alert(1)" })],
      "record_malformed",
    ],
    [
      "with a script in its links",
      [postItem(1, { urls: ["\tJavaScript:alert(1)"] })],
      "record_malformed",
    ],
    [
      "with data in its media",
      [postItem(1, { media: [{ type: "image", url: "data:text/html,a", alt: null }] })],
      "record_malformed",
    ],
    ["with tags that are not a list", [postItem(1, { hashtags: "cats" })], "record_malformed"],
    ["without the words of the query", [itemWith({ Content: "zebra" })], "not_a_match"],
    ["in another language", [postItem(1, { langs: ["de"] })], "not_a_match"],
    ["in no language", [postItem(1, { langs: [] })], "not_a_match"],
    [
      "that are longer than a post can be",
      [postItem(1, { more: "a".repeat(262_144) })],
      "record_malformed",
    ],
  ] satisfies [string, FetchedItem[], string][])(
    "impossible items of an answer are refused: %s",
    async (_name, items, code) => {
      expect(await itemsOutcome(items)).toBe(code);
    },
  );

  test.each([
    ["a post without its uri", { uri: null }, "name_missing"],
    ["a post without its account", { userId: null }, "name_missing"],
    ["a uri in capitals", { uri: "AT://did:plc:ann/app.bsky.feed.post/3k" }, "name_malformed"],
    [
      "a uri with a query string",
      { uri: "at://did:plc:ann/app.bsky.feed.post/3k?x" },
      "name_malformed",
    ],
    [
      "a uri with a trailing slash",
      { uri: "at://did:plc:ann/app.bsky.feed.post/3k/" },
      "name_malformed",
    ],
    ["a uri of another account", { userId: "did:plc:bob" }, "name_malformed"],
    ["a uri by a handle", { uri: "at://ann.example/app.bsky.feed.post/3k" }, "name_malformed"],
    ["a handle for an account", { userId: "ann.example" }, "name_malformed"],
    [
      "a web address on Bluesky",
      { uri: "https://bsky.app/profile/did:plc:ann/post/3k" },
      "name_malformed",
    ],
    ["the name of an import", { uri: "import:bluesky:7" }, "name_malformed"],
  ] satisfies [string, Partial<FetchedItem>, string][])(
    "impossible names, which no reader of the platform produces, are refused in an answer: %s",
    async (_name, overrides, code) => {
      const request = { ...testRequest, platform: "social" } as const;
      expect(await itemsOutcome([blueskyItem(overrides)], request)).toBe(code);
    },
  );

  test.each([
    [{ platform: "x", uri: "https://x.com/i/status/20", userId: "12" }, "name_malformed"],
    [{ platform: "x", uri: "https://x.com/ann/status/7", userId: "12" }, "name_malformed"],
    [{ platform: "x", uri: "https://example.com/7", userId: "12" }, "name_malformed"],
    [{ platform: "x", uri: "own", userId: "ann" }, "name_malformed"],
    [{ platform: "mastodon", uri: "mas.to/@ann/1", userId: "1@mas.to" }, "name_malformed"],
    [{ platform: "mastodon", uri: "https://mas.to/@ann/1 ", userId: "1@mas.to" }, "name_malformed"],
    [{ platform: "mastodon", uri: "https://mas.to/@ann/1", userId: "1" }, "name_malformed"],
    [{ platform: "mastodon", uri: "https://mas.to/@ann/1", userId: "1@mas.to" }, "accepted"],
    [{ platform: "x", uri: "own", userId: "12" }, "accepted"],
  ] satisfies [Partial<FetchedItem>, string][])(
    "names are checked on every platform: %j",
    async (overrides, code) => {
      const itemOverrides = overrides.uri === "own" ? { ...overrides, uri: item.uri } : overrides;
      const request = { ...testRequest, platform: "social" } as const;
      expect(await itemsOutcome([itemNamed(itemOverrides)], request)).toBe(code);
    },
  );

  test.each([
    ["x", "import:x:abc", null, "accepted"],
    ["x", "https://example.com/kept/7", null, "accepted"],
    ["x", "https://x.com/i/status/20", "12", "name_malformed"],
    ["mastodon", "import:mastodon:7@mas.to", null, "accepted"],
    ["mastodon", "https://mas.to/@ann/1", "https://mas.to/users/ann", "accepted"],
    ["bluesky", "import:bluesky:7", null, "accepted"],
    ["bluesky", "at://did:plc:ann/app.bsky.feed.post/3k", "did:plc:ann", "accepted"],
    ["bluesky", "at://did:plc:ann/app.bsky.feed.post/3k", null, "name_missing"],
    ["bluesky", "AT://did:plc:ann/app.bsky.feed.post/3k", "did:plc:ann", "name_malformed"],
    ["bluesky", "import:x:7", null, "name_missing"],
    ["x", null, null, "name_missing"],
  ] as const)(
    "imported items are accepted only with names that imports have: %s %s of %s",
    async (platform, uri, userId, code) => {
      const importedPost = itemNamed({ platform, uri, userId }, { origin: "import" });
      expect(await itemsOutcome([importedPost], { ...testRequest, platform: "social" })).toBe(code);
    },
  );

  test.each([
    ["is missing", {}, "name_missing"],
    ["has no uri", { reposted: { id: "7" } }, "name_missing"],
    ["has a uri that is an object", { reposted: { uri: {} } }, "record_malformed"],
    [
      "has a user that is a number",
      { reposted: { uri: "https://x.com/i/status/7", user_id: 5 } },
      "record_malformed",
    ],
    [
      "has a uri in another spelling",
      { reposted: { uri: "https://x.com/i/status/7?x" } },
      "name_malformed",
    ],
    ["is named", { reposted: { uri: "https://x.com/i/status/7", user_id: "9" } }, "accepted"],
    [
      "is named, its account unknown",
      { reposted: { uri: "https://x.com/i/status/7", user_id: null } },
      "accepted",
    ],
  ])(
    "a repost is accepted only if its original is validly named: the original %s",
    async (_name, overrides, code) => {
      expect(await itemsOutcome([postItem(1, { is_retweet: true, ...overrides })])).toBe(code);
    },
  );

  test("reposts with an invalid `is_retweet` are refused", async () => {
    expect(await itemsOutcome([postItem(1, { is_retweet: "true" })])).toBe("record_malformed");
  });

  test("an item at the position after which the page begins is refused", async () => {
    const after = { platform: "x", id: item.id ?? 0n } as const;
    expect(await itemsOutcome([item], { ...testRequest, after })).toBe("before_its_page");
    expect(await itemsOutcome([postItem(2)], { ...testRequest, after })).toBe("accepted");
  });
});

describe("impossible knowledge is refused", () => {
  const { coverage } = fullAnswer;
  const [postCoverage] = coverage.platforms ?? [];
  const gap = { fromMs: nowMs - 2_000, toMs: nowMs - 1_000 };
  const withCoverage = (overrides: Partial<typeof coverage>) => ({
    coverage: { ...coverage, ...overrides },
  });
  const withPostCoverage = (overrides: object) =>
    withCoverage({
      platforms: postCoverage === undefined ? [] : [{ ...postCoverage, ...overrides }],
    });

  test.each([
    [
      "a next page after the end",
      { next: { platform: "x", id: lowestId(nowMs) } },
      "next_misplaced",
    ],
    [
      "a search that continues on a platform",
      { nextPosition: { platform: "x", credentialId: null, cursor: "c", lastKey: null, skip: 0 } },
      "other_platform",
    ],
    [
      "a part of another platform",
      { sources: [{ platform: "bluesky", via: "api", fromMs: null, toMs: nowMs, count: 0 }] },
      "other_platform",
    ],
    [
      "a cost of a source that does not bill",
      {
        sources: [
          {
            platform: "x",
            via: "archive",
            fromMs: null,
            toMs: nowMs,
            count: 0,
            cost: { microUsd: 1, month: null },
          },
        ],
      },
      "knowledge_malformed",
    ],
    ["coverage of another platform", withPostCoverage({ platform: "mastodon" }), "other_platform"],
    [
      "one platform twice",
      withCoverage({ platforms: postCoverage === undefined ? [] : [postCoverage, postCoverage] }),
      "knowledge_malformed",
    ],
    [
      "a gap that ends before it begins",
      withCoverage({ complete: false, gaps: [{ fromMs: nowMs, toMs: nowMs - 1 }] }),
      "knowledge_malformed",
    ],
    [
      "gaps that overlap",
      withCoverage({ complete: false, gaps: [gap, gap] }),
      "knowledge_malformed",
    ],
    ["complete with a gap", withCoverage({ gaps: [gap] }), "knowledge_malformed"],
    ["incomplete without a gap", withPostCoverage({ complete: false }), "knowledge_malformed"],
    [
      "complete although its coverage is not",
      { ...withCoverage({ complete: false, gaps: [gap] }), complete: true },
      "knowledge_malformed",
    ],
    [
      "coverage from before the window",
      withCoverage({ fromMs: testRequest.fromMs - 1 }),
      "coverage_outside_window",
    ],
    ["coverage of all time", withCoverage({ fromMs: null }), "coverage_outside_window"],
    ["coverage beyond the window", withCoverage({ toMs: nowMs + 1 }), "coverage_outside_window"],
    [
      "stored beyond the window",
      withPostCoverage({ held: [{ fromMs: null, toMs: nowMs }] }),
      "coverage_outside_window",
    ],
  ] satisfies [string, Partial<SourceAnswer>, string][])(
    "impossible knowledge of an answer is refused: %s",
    async (_name, overrides, code) => {
      const reportedAnswer = { ...fullAnswer, complete: false, ...overrides };
      if (code !== "knowledge_malformed") {
        expect(await decodeOutcome(answerBytes(nodeAnswer(reportedAnswer)))).toBe(code);
        return;
      }
      expect(() => knowledgeText(reportedAnswer)).toThrow();
      const knowledgeFields = JSON.parse(knowledgeText(fullAnswer));
      const knowledge = JSON.stringify({ ...knowledgeFields, complete: false, ...overrides });
      expect(await decodeOutcome(answerBytes(nodeAnswer(fullAnswer, { knowledge })))).toBe(code);
    },
  );

  test("an answer with an empty window is accepted if the query excludes the whole window", async () => {
    const toMs = nowMs + 5_000;
    const emptyAnswer = {
      ...makeAnswer([]),
      coverage: { fromMs: toMs, toMs, complete: true, gaps: [] },
    };
    const query = `cats since:${new Date(toMs).toISOString().slice(0, 19)}Z`;
    const request = { ...testRequest, query };
    expect(await decodeOutcome(answerBytes(nodeAnswer(emptyAnswer)), request)).toBe("accepted");
    expect(await decodeOutcome(answerBytes(nodeAnswer(emptyAnswer)))).toBe("coverage_too_narrow");
  });

  const liveOnX = (laterMs: number) => {
    const window = { fromMs: testRequest.fromMs + laterMs, toMs: nowMs };
    const completeCoverage = { complete: true, held: [window], gaps: [], truncated: false };
    return {
      ...window,
      platforms: [{ platform: "x", collection: "posts", ...completeCoverage }],
    } as const;
  };
  test("the coverage of a later page can end where the previous page ended", async () => {
    const lastMs = nowMs - 90_000;
    const after = { platform: "bluesky", id: lowestId(lastMs) } as const;
    const coveredTo = (toMs: number) => {
      const fullCoverage = { ...coverage, toMs, complete: true, gaps: [], platforms: [] };
      return answerBytes(
        nodeAnswer({ ...makeAnswer([]), complete: true, coverage: fullCoverage, sources: [] }),
      );
    };
    const request = { ...testRequest, query: "cats", after };
    expect(await decodeOutcome(coveredTo(lastMs), request)).toBe("accepted");
    expect(await decodeOutcome(coveredTo(lastMs - 1), request)).toBe("coverage_too_narrow");
    expect(await decodeOutcome(coveredTo(lastMs), { ...request, after: null })).toBe(
      "coverage_too_narrow",
    );
  });

  const day = (days: number) => testRequest.fromMs + days * 86_400_000;
  test.each([
    ["cats", {}, {}, "accepted"],
    ["cats", { fromMs: testRequest.fromMs + 1 }, {}, "coverage_too_narrow"],
    // Live streams lag slightly.
    ["cats", { toMs: nowMs - 60_000 }, {}, "accepted"],
    ["cats", { toMs: nowMs - 60_001 }, {}, "coverage_too_narrow"],
    ["cats", { toMs: nowMs - 1, complete: false, gaps: [gap] }, {}, "accepted"],
    ["cats", liveOnX(900_000), { platform: "social" }, "accepted"],
    ["cats", liveOnX(900_001), { platform: "social" }, "coverage_too_narrow"],
    ["cats since:2026-01-31", { fromMs: Date.UTC(2026, 0, 31) }, {}, "accepted"],
    ["cats since:2026-01-31", { fromMs: Date.UTC(2026, 0, 31) + 1 }, {}, "coverage_too_narrow"],
    ["cats -until:2026-01-31", { fromMs: Date.UTC(2026, 0, 31) }, {}, "accepted"],
    ["cats until:2026-01-31", { toMs: Date.UTC(2026, 0, 31) }, {}, "accepted"],
    ["cats until:2026-01-31", { fromMs: Date.UTC(2026, 0, 31) }, {}, "coverage_too_narrow"],
    ["cats within_time:1h", { fromMs: nowMs - 3_600_000 }, {}, "accepted"],
    ["from:nobody OR since:2026-01-31", { fromMs: Date.UTC(2026, 0, 31) }, {}, "accepted"],
    [`cats since_id:${lowestId(nowMs - 1_000)}`, { fromMs: nowMs - 2_000 }, {}, "accepted"],
    [`cats max_id:${lowestId(nowMs - 5_000)}`, { toMs: nowMs - 3_999 }, {}, "accepted"],
    [
      "ann.example",
      { fromMs: day(0) },
      { method: "gettweets", fromMs: null },
      "coverage_too_narrow",
    ],
    ["ann.example", { fromMs: null }, { method: "gettweets", fromMs: null }, "accepted"],
  ] as const)(
    "an answer to %s, complete for %j of %j, is accepted or refused: %s",
    async (query, reported, overrides, code) => {
      const answerCoverage = { ...coverage, platforms: [], ...reported };
      const { complete } = answerCoverage;
      const bytes = answerBytes(
        nodeAnswer({ ...makeAnswer([]), complete, coverage: answerCoverage, sources: [] }),
      );
      expect(await decodeOutcome(bytes, { ...testRequest, ...overrides, query })).toBe(code);
    },
  );

  test("control characters are removed from the texts of an answer", () => {
    const warnings = [{ code: "a", message: "one\u001b[2Jtwo", hint: "\u0007three" }];
    const result = readKnowledge(knowledgeText({ ...fullAnswer, warnings }));
    expect(result.warnings).toEqual([{ code: "a", message: "one[2Jtwo", hint: "three" }]);
  });
});

describe("malformed bytes are refused", () => {
  const validAnswer = nodeAnswer(fullAnswer);
  const text = Buffer.from(answerBytes(validAnswer)).toString("utf8");
  const bytesWith = (from: string, to: string) => {
    const changedText = text.replace(from, to);
    expect(changedText).not.toBe(text);
    return Buffer.from(changedText);
  };

  test.each([
    ["nothing", () => Buffer.alloc(0), "malformed"],
    ["no body", () => Buffer.from(text.slice(0, text.indexOf("\n"))), "malformed"],
    [
      "a failure",
      () => failureBytes({ code: "a", message: "b", status: 500, retryable: true }),
      "malformed",
    ],
    ["a head in non-canonical JSON", () => bytesWith('{"lengths":', '{ "lengths":'), "malformed"],
    [
      "a head with a member twice",
      () => bytesWith('{"lengths":', '{"lengths":[],"lengths":'),
      "malformed",
    ],
    ["an additional member", () => bytesWith('{"lengths":', '{"more":1,"lengths":'), "malformed"],
    ["a missing field", () => bytesWith(',"signature":"e"', ""), "malformed"],
    [
      "a head that is not UTF-8",
      () => Buffer.concat([Buffer.of(0xff), Buffer.from(text)]),
      "malformed",
    ],
    ["a body with an additional byte", () => Buffer.from(`${text} `), "body_mismatch"],
    ["a body with a missing byte", () => Buffer.from(text.slice(0, -1)), "body_mismatch"],
    ["a body that begins differently", () => bytesWith("\n[", "\n("), "body_mismatch"],
    ["records separated differently", () => bytesWith("},{", "};{"), "body_mismatch"],
    ["records longer than declared", () => bytesWith("cats é", "cats éé"), "body_mismatch"],
    [
      "knowledge in another form",
      () => answerBytes({ ...validAnswer, knowledge: ` ${validAnswer.knowledge}` }),
      "knowledge_malformed",
    ],
    [
      "knowledge with an additional member",
      () =>
        answerBytes({
          ...validAnswer,
          knowledge: validAnswer.knowledge.replace("{", '{"more":1,'),
        }),
      "knowledge_malformed",
    ],
    [
      "knowledge that is not an object",
      () => answerBytes({ ...validAnswer, knowledge: "[]" }),
      "knowledge_malformed",
    ],
  ] satisfies [string, () => Uint8Array, string][])(
    "malformed bytes of an answer are refused: %s",
    async (_name, bytes, code) => {
      const outcome = await decodeOutcome(bytes);
      if (code === "body_mismatch")
        expect(["body_mismatch", "record_malformed"]).toContain(outcome);
      else expect(outcome).toBe(code);
    },
  );

  test("any changed byte of an answer is refused, or breaks the signature", async () => {
    const bytes = Buffer.from(answerBytes(validAnswer));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (offset, mask) => {
          const changedBytes = Buffer.from(bytes);
          changedBytes[offset] = (changedBytes[offset] ?? 0) ^ mask;
          const outcome = await decodeOutcome(changedBytes);
          if (outcome !== "accepted") return;
          const result = await readAnswer(changedBytes, testRequest);
          const isSame =
            result.body.toString("latin1") === Buffer.from(validAnswer.body).toString("latin1");
          expect(
            isSame &&
              result.knowledge === validAnswer.knowledge &&
              JSON.stringify(result.fields) === JSON.stringify(fields),
          ).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("arbitrary bytes are refused as an answer with the same error code", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(`${json}\n[]`)),
        ),
        async (bytes) => {
          expect(await decodeOutcome(bytes)).toBe("malformed");
          expect(await getCode(() => readFailure(bytes))).toBe("malformed");
        },
      ),
    );
  });
});

describe("a request", () => {
  const name = fc.option(fc.string());
  const platform = fc.constantFrom("bluesky", "mastodon", "x");
  const search = fc.record({
    platform: fc.oneof(platform, fc.constant("social")),
    method: fc.constant("searchbyquery"),
    query: fc.string({
      unit: fc.constantFrom("a", "é", "\ud800", "\u2028", "\n", '"', "\ud83d\ude00"),
    }),
    target: fc.constant(null),
  });
  const fetchRequest = fc.constantFrom(...methodQueries).map(([method, query, platform]) => {
    const { query: queryKind } = methods[method];
    const target = queryKind === "none" ? null : readTarget(queryKind, query, platform);
    return { platform, method, query, target };
  });
  const commonFields = fc.record({
    type: fc.constantFrom("social", "social-api"),
    fromMs: fc.option(fc.integer()),
    toMs: fc.integer(),
    asOfMs: fc.integer(),
    after: fc.option(fc.record({ platform, id: fc.bigInt(0n, lastId) })),
    position: fc.option(
      fc.record({ platform, credentialId: name, cursor: name, lastKey: name, skip: fc.nat(500) }),
    ),
    maxResults: fc.integer({ min: 1, max: 500 }),
  });
  const request = fc
    .tuple(fc.oneof(search, fetchRequest), commonFields)
    .map(([requested, rest]) => ({ ...requested, ...rest })) as fc.Arbitrary<AnswerRequest>;

  test("a request to a node is read as written, in one form only", () => {
    fc.assert(
      fc.property(request, (requested) => {
        const text = requestText(requested);
        expect(readRequest(text)).toEqual(requested);
        const reversedRequest = Object.fromEntries(
          Object.entries(requested).reverse(),
        ) as AnswerRequest;
        expect(requestText(reversedRequest)).toBe(text);
      }),
    );
  });

  test("a request to a node omits isLocalOnly, the requested bounds and the node with the credential", () => {
    const position = {
      platform: "x",
      credentialId: "c",
      cursor: null,
      lastKey: null,
      skip: 0,
      nodeId: "n",
    } as const;
    const nodeRequest = {
      ...testRequest,
      position,
      isLocalOnly: true,
      requestedBounds: { startMs: 1, endMs: 2 },
    };
    const { nodeId: _nodeId, ...withoutNode } = position;
    expect(readRequest(requestText(nodeRequest))).toEqual({
      ...testRequest,
      target: null,
      position: withoutNode,
    });
  });

  test.each([
    "",
    "null",
    "{}",
    ` ${requestText(testRequest)}`,
    requestText(testRequest).replace("{", '{"query":"dogs",'),
    requestText(testRequest).replace('"maxResults":10', '"maxResults":1e1'),
    requestText(testRequest).replace('"maxResults":10', '"maxResults":0'),
    requestText(testRequest).replace('"x"', '"myspace"'),
    requestText(testRequest).replace('"after":null', '"after":["x","-1"]'),
    requestText(testRequest).replace("cats", "c".repeat(70_000)),
    "[".repeat(200_000),
  ])("a request to a node in any other form is refused", async (text) => {
    expect(await getCode(() => readRequest(text))).toBe("request_malformed");
  });

  test("arbitrary text is refused as a request with the same error code", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        expect(await getCode(() => readRequest(text))).toBe("request_malformed");
        expect(await getCode(() => readKnowledge(text))).toBe("knowledge_malformed");
      }),
    );
  });
});

describe("a request is about the target of its query", () => {
  const check = (overrides: Partial<AnswerRequest>) =>
    getCode(() => readRequest(requestText({ ...testRequest, fromMs: null, ...overrides })));
  const post = (uri: string, platform: Platform) => readTarget("post", uri, platform);

  test.each(methodQueries)(
    "a request is about the target of its query: %s %s on %s",
    async (method, query, platform) => {
      const { query: queryKind } = methods[method];
      const target = queryKind === "none" ? null : readTarget(queryKind, query, platform);
      expect(await check({ method, query, platform, target })).toBe("accepted");
      const otherTarget = {
        kind: "user",
        platform,
        handle: "mallory.example",
        id: null,
        host: null,
      } as const;
      expect(await check({ method, query, platform, target: otherTarget })).toBe("target_mismatch");
      if (target === null) return;
      expect(await check({ method, query, platform, target: null })).toBe("target_mismatch");
      const otherPlatform = platform === "x" ? "mastodon" : "x";
      expect(await check({ method, query, platform: otherPlatform, target })).toBe(
        "target_mismatch",
      );
      expect(await check({ method, query, platform: "social", target })).toBe("target_mismatch");
    },
  );

  const uri = "at://did:plc:ann/app.bsky.feed.post/3k";
  const namelessPost = {
    kind: "post",
    id: null,
    host: null,
    url: null,
    handle: null,
    key: null,
  } as const;

  test.each([
    ["with the ID of a record", "7", "bluesky", post(uri, "bluesky")],
    [
      "on the server that its uri names",
      "7",
      "mastodon",
      {
        ...post("https://mas.to/users/ann/statuses/109", "mastodon"),
        uri: "https://mas.to/users/ann/statuses/109",
      },
    ],
    [
      "with the name that an import gave it",
      "7",
      "bluesky",
      { ...namelessPost, platform: "bluesky", uri: "import:bluesky:a b" },
    ],
    ["with a number of X", "7", "x", { ...post("x:7", "x"), uri: "https://x.com/i/status/7" }],
    ["with its platform as prefix", "bluesky:7", "bluesky", post(uri, "bluesky")],
  ] as const)("a request can be about a post %s", async (_name, query, platform, target) => {
    const targetRequest = {
      method: "getreplies",
      query,
      platform,
      target: target as Target,
    } as const;
    expect(await check(targetRequest)).toBe("accepted");
  });

  test.each([
    ["a post of X with another number", "7", "x", post("x:8", "x")],
    [
      "a post of another platform than the query names",
      "mastodon:7",
      "bluesky",
      post(uri, "bluesky"),
    ],
    [
      "a post for a query that names another",
      "at://did:plc:bob/app.bsky.feed.post/3k",
      "bluesky",
      post(uri, "bluesky"),
    ],
    [
      "a post with fields that its uri does not contain",
      "7",
      "bluesky",
      { ...post(uri, "bluesky"), key: "other" },
    ],
  ] as const)(
    "a request is refused if its target is %s",
    async (_name, query, platform, target) => {
      const targetRequest = {
        method: "getreplies",
        query,
        platform,
        target: target as Target,
      } as const;
      expect(await check(targetRequest)).toBe("target_mismatch");
    },
  );
});

describe("a request by a username without a platform", () => {
  const check = (platform: Platform, target: Target) =>
    getCode(() =>
      readRequest(
        requestText({ ...testRequest, method: "gettweets", query: "@Ann", platform, target }),
      ),
    );
  const user = (text: string) => readTarget("user", text, "social");

  test.each(["x:@ann", "bluesky:@ann.bsky.social", "@ann@mas.to", "mastodon:@ann"])(
    "a request by a username without a platform can be about %s",
    async (form) => {
      const target = user(form);
      expect(await check(target.platform ?? "x", target)).toBe("accepted");
    },
  );

  test.each(["x:@anna", "bluesky:@ann.example", "@anna@mas.to", "x:12", "109@mas.to"])(
    "a request by a username without a platform is not about %s",
    async (form) => {
      const target = user(form);
      expect(await check(target.platform ?? "x", target)).toBe("target_mismatch");
    },
  );

  test("a request by a username without a platform is refused if its target also has an account id", async () => {
    const target = { ...user("bluesky:@ann.bsky.social"), id: "did:plc:ann" } as Target;
    expect(await check("bluesky", target)).toBe("target_mismatch");
  });
});

describe("a failure", () => {
  const failure = { code: "upstream_failed", message: "it failed", status: 502, retryable: true };

  test("a failure is read as written, except that long texts are truncated and control characters are removed", () => {
    expect(readFailure(failureBytes(failure))).toEqual(failure);
    expect(readFailure(failureBytes({ ...failure, hint: "a\u001bb" }))).toEqual({
      ...failure,
      hint: "ab",
    });
    const longFailure = readFailure(failureBytes({ ...failure, message: "m".repeat(10_000) }));
    expect(longFailure.message).toHaveLength(4_096);
  });

  test.each([
    [{ ...failure, status: 200 }],
    [{ ...failure, code: "A B" }],
    [{ ...failure, message: "" }],
    [{ ...failure, more: 1 }],
    [{ ...failure, retryable: "yes" }],
    [null],
  ])("a failure in another form is refused: %j", async (reported) => {
    expect(await getCode(() => readFailure(Buffer.from(JSON.stringify(reported))))).toBe(
      "malformed",
    );
  });
});
