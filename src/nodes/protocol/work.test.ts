import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import type { AnswerRequest, FetchedItem, SourceAnswer } from "../../platforms/source.ts";
import { lastId, lowestId } from "../../posts/ids.ts";
import { answerOf, askedRequest, nowMs, postItem } from "../proof/proof.test-support.ts";
import {
  answerBytes,
  bodyOf,
  failureBytes,
  knowledgeText,
  type NodeAnswer,
  readAnswer,
  readFailure,
  readKnowledge,
  readRequest,
  requestText,
} from "./work.ts";

const fields = {
  "content-digest": "a",
  "content-type": "b",
  "earshot-job": "c",
  "signature-input": "d",
  signature: "e",
};

const nodeAnswer = (answer: SourceAnswer, special: Partial<NodeAnswer> = {}): NodeAnswer => {
  const items = answer.items.filter((item) => "record" in item);
  return { body: bodyOf(items), items, knowledge: knowledgeText(answer), fields, ...special };
};

async function outcomeOf(
  bytes: Uint8Array | (() => Uint8Array),
  request: AnswerRequest = askedRequest,
): Promise<string> {
  return await codeOf(() => readAnswer(typeof bytes === "function" ? bytes() : bytes, request));
}

async function codeOf(read: () => unknown): Promise<string> {
  try {
    await read();
    return "taken";
  } catch (fault) {
    if (!(fault instanceof EarshotError)) throw fault;
    expect(["answer_refused", "job_refused"]).toContain(fault.code);
    return fault.details[0]?.code ?? "";
  }
}

/** The outcome of an answer with these items; what is known of it is that of `answerOf`. */
const ofItems = (items: readonly FetchedItem[], request?: AnswerRequest): Promise<string> =>
  outcomeOf(answerBytes(nodeAnswer(answerOf(items))), request);

const whole = answerOf([postItem(1), postItem(2), postItem(3)]);

describe("an answer", () => {
  test("is read as it was given", async () => {
    const given = nodeAnswer(whole);
    const read = await readAnswer(answerBytes(given), askedRequest);
    expect(read.answer).toEqual(whole);
    expect(read.body.toString("utf8")).toBe(given.body);
    expect(JSON.parse(given.body)).toHaveLength(3);
    expect(read).toMatchObject({ knowledge: given.knowledge, fields });
    expect(
      (await readAnswer(answerBytes(nodeAnswer(answerOf([]))), askedRequest)).answer.items,
    ).toEqual([]);
  });

  test("of another kind than posts has no ids", async () => {
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
      ...askedRequest,
      platform: "bluesky",
      method: "getfollowers",
      fromMs: null,
    } as const;
    const coverage = { fromMs: null, toMs: nowMs, complete: true, gaps: [] };
    const nextPlace = {
      platform: "bluesky",
      credentialId: null,
      cursor: "c",
      lastKey: null,
      skip: 0,
    } as const;
    const answer = {
      items: [item],
      next: null,
      nextPlace,
      complete: true,
      coverage,
      sources: [],
      warnings: [],
    };
    expect((await readAnswer(answerBytes(nodeAnswer(answer)), request)).answer).toEqual(answer);
    expect(
      await outcomeOf(answerBytes(nodeAnswer(answer)), { ...request, method: "searchbyquery" }),
    ).toBe("not_a_post");
    expect(
      await outcomeOf(
        answerBytes(nodeAnswer({ ...answer, items: [{ ...item, userId: "did:b" }] })),
        request,
      ),
    ).toBe("item_mismatch");
  });

  test("does not lead on to another platform than the one that was asked", async () => {
    const request = { ...askedRequest, method: "gettweets" } as const;
    const place = { credentialId: null, cursor: "c", lastKey: null, skip: 0 };
    const leadingTo = (platform: "x" | "mastodon") =>
      answerBytes(nodeAnswer({ ...whole, nextPlace: { platform, ...place } }));
    expect(await outcomeOf(leadingTo("x"), request)).toBe("taken");
    expect(await outcomeOf(leadingTo("mastodon"), request)).toBe("place_misplaced");
  });

  test("with a post that its platform numbered before ids told times is of its own time", async () => {
    const record = {
      ID: "20",
      Content: "",
      Metadata: { platform: "x", uri: "u", created_at: "2006-03-21T20:50:14.000Z" },
      Score: 1,
    };
    const item = {
      platform: "x",
      id: 20n,
      uri: "u",
      userId: null,
      record: JSON.stringify(record),
    } as const;
    const early = { ...askedRequest, fromMs: Date.UTC(2006, 0), toMs: Date.UTC(2007, 0) };
    const coverage = { fromMs: early.fromMs, toMs: early.toMs, complete: true, gaps: [] };
    const bytes = answerBytes(nodeAnswer({ ...answerOf([item]), coverage }));
    expect(await outcomeOf(bytes, early)).toBe("taken");
    expect(await outcomeOf(answerBytes(nodeAnswer(answerOf([item]))))).toBe("outside_window");
  });
});

describe("items that cannot be those of an answer are refused", () => {
  const item = postItem(1);
  const changed = (special: Record<string, unknown>): FetchedItem => {
    const record = { ...JSON.parse(item.record), ...special };
    return { ...item, record: JSON.stringify(record) };
  };

  test.each([
    [
      "more than were asked for",
      Array.from({ length: 11 }, (_, index) => postItem(index + 1)),
      "too_many_items",
    ],
    ["one twice", [item, item], "repeated_item"],
    ["the oldest first", [postItem(2), postItem(1)], "out_of_order"],
    ["newer than the window", [postItem(-5)], "outside_window"],
    ["older than the window", [postItem(1_445)], "outside_window"],
    [
      "of another platform",
      [{ ...postItem(1, { platform: "bluesky" }), platform: "bluesky" }],
      "other_platform",
    ],
    [
      "of a platform that its record does not name",
      [{ ...item, platform: "bluesky" }],
      "item_mismatch",
    ],
    [
      "of another id than its record",
      [{ ...item, id: item.id === null ? null : item.id + 1n }],
      "item_mismatch",
    ],
    ["of no id", [{ ...item, id: null }], "item_mismatch"],
    [
      "of another uri than its record",
      [{ ...item, uri: "https://x.com/i/status/1" }],
      "item_mismatch",
    ],
    ["of no uri", [{ ...item, uri: null }], "item_mismatch"],
    ["of another user than its record", [{ ...item, userId: "13" }], "item_mismatch"],
    ["with a member more", [changed({ More: 1 })], "record_malformed"],
    ["without a text", [changed({ Content: null })], "record_malformed"],
    ["with an id that is a number", [changed({ ID: 1 })], "record_malformed"],
    ["of a kind that nobody knows", [postItem(1, { kind: "other" })], "record_malformed"],
    [
      "with a member twice",
      [{ ...item, record: item.record.replace("{", '{"ID":"1",') }],
      "record_malformed",
    ],
    [
      "in another spelling",
      [{ ...item, record: item.record.replace('"Score":1', '"Score":1.0') }],
      "record_malformed",
    ],
    ["with spaces", [{ ...item, record: `${item.record} ` }], "record_malformed"],
    ["that are no JSON", [{ ...item, record: "{{" }], "record_malformed"],
    ["that nest without end", [{ ...item, record: "[".repeat(100_000) }], "record_malformed"],
    [
      "that are longer than a post is",
      [postItem(1, { more: "a".repeat(262_144) })],
      "record_malformed",
    ],
  ] satisfies [string, FetchedItem[], string][])("%s", async (_name, items, code) => {
    expect(await ofItems(items)).toBe(code);
  });

  test("before the place at which the page begins", async () => {
    const after = { platform: "x", id: item.id ?? 0n } as const;
    expect(await ofItems([item], { ...askedRequest, after })).toBe("before_its_page");
    expect(await ofItems([postItem(2)], { ...askedRequest, after })).toBe("taken");
  });
});

describe("what is told of an answer is refused where it cannot be so", () => {
  const { coverage } = whole;
  const [posts] = coverage.platforms ?? [];
  const gap = { fromMs: nowMs - 2_000, toMs: nowMs - 1_000 };
  const ofCoverage = (special: Partial<typeof coverage>) => ({
    coverage: { ...coverage, ...special },
  });
  const ofPosts = (special: object) =>
    ofCoverage({ platforms: posts === undefined ? [] : [{ ...posts, ...special }] });

  test.each([
    ["going on before its end", { next: { platform: "x", id: lowestId(nowMs) } }, "next_misplaced"],
    [
      "a search that goes on at a platform",
      { nextPlace: { platform: "x", credentialId: null, cursor: "c", lastKey: null, skip: 0 } },
      "place_misplaced",
    ],
    [
      "a part of another platform",
      { sources: [{ platform: "bluesky", via: "api", fromMs: null, toMs: nowMs, count: 0 }] },
      "source_misplaced",
    ],
    [
      "coverage of another platform",
      ofPosts({ platform: "mastodon" }),
      "coverage_of_other_platform",
    ],
    [
      "one platform twice",
      ofCoverage({ platforms: posts === undefined ? [] : [posts, posts] }),
      "coverage_malformed",
    ],
    [
      "a gap that ends before it begins",
      ofCoverage({ complete: false, gaps: [{ fromMs: nowMs, toMs: nowMs - 1 }] }),
      "coverage_malformed",
    ],
    ["gaps that overlap", ofCoverage({ complete: false, gaps: [gap, gap] }), "coverage_malformed"],
    ["complete with a gap", ofCoverage({ gaps: [gap] }), "coverage_contradictory"],
    ["incomplete without a gap", ofPosts({ complete: false }), "coverage_contradictory"],
    [
      "complete though its coverage is not",
      { ...ofCoverage({ complete: false, gaps: [gap] }), complete: true },
      "coverage_contradictory",
    ],
    [
      "coverage from before the window",
      ofCoverage({ fromMs: askedRequest.fromMs - 1 }),
      "coverage_outside_window",
    ],
    ["coverage of all time", ofCoverage({ fromMs: null }), "coverage_outside_window"],
    ["coverage beyond the window", ofCoverage({ toMs: nowMs + 1 }), "coverage_outside_window"],
    [
      "held beyond the window",
      ofPosts({ held: [{ fromMs: null, toMs: nowMs }] }),
      "coverage_outside_window",
    ],
  ] satisfies [string, Partial<SourceAnswer>, string][])("%s", async (_name, special, code) => {
    expect(
      await outcomeOf(answerBytes(nodeAnswer({ ...whole, complete: false, ...special }))),
    ).toBe(code);
  });

  test("a window in which nothing can lie is taken wherever it is", async () => {
    const toMs = nowMs + 5_000;
    const empty = { ...answerOf([]), coverage: { fromMs: toMs, toMs, complete: true, gaps: [] } };
    expect(await outcomeOf(answerBytes(nodeAnswer(empty)))).toBe("taken");
  });

  test("texts come without what could move the cursor", () => {
    const warnings = [{ code: "a", message: "one\u001b[2Jtwo", hint: "\u0007three" }];
    const read = readKnowledge(knowledgeText({ ...whole, warnings }));
    expect(read.warnings).toEqual([{ code: "a", message: "one[2Jtwo", hint: "three" }]);
  });
});

describe("bytes that are not those of an answer are refused", () => {
  const given = nodeAnswer(whole);
  const text = Buffer.from(answerBytes(given)).toString("utf8");
  const replaced = (from: string, to: string) => {
    const changed = text.replace(from, to);
    expect(changed).not.toBe(text);
    return Buffer.from(changed);
  };

  test.each([
    ["nothing", () => Buffer.alloc(0), "malformed"],
    ["no body", () => Buffer.from(text.slice(0, text.indexOf("\n"))), "malformed"],
    [
      "a failure",
      () => failureBytes({ code: "a", message: "b", status: 500, retryable: true }),
      "malformed",
    ],
    ["a head in another spelling", () => replaced('{"items":', '{ "items":'), "malformed"],
    [
      "a head with a member twice",
      () => replaced('{"items":', '{"items":[],"items":'),
      "malformed",
    ],
    ["a member more", () => replaced('{"items":', '{"more":1,"items":'), "malformed"],
    ["a field less", () => replaced(',"signature":"e"', ""), "malformed"],
    ["an id that is none", () => replaced(`"${postItem(1).id}"`, '"x"'), "malformed"],
    [
      "an id that is too great",
      () => replaced(`"${postItem(1).id}"`, `"${lastId + 1n}"`),
      "malformed",
    ],
    [
      "a head that is no UTF-8",
      () => Buffer.concat([Buffer.of(0xff), Buffer.from(text)]),
      "malformed",
    ],
    ["a body with a byte more", () => Buffer.from(`${text} `), "body_mismatch"],
    ["a body with a byte less", () => Buffer.from(text.slice(0, -1)), "body_mismatch"],
    ["a body that begins otherwise", () => replaced("\n[", "\n("), "body_mismatch"],
    ["records parted otherwise", () => replaced("},{", "};{"), "body_mismatch"],
    ["records longer than told", () => replaced("cats é", "cats éé"), "body_mismatch"],
    [
      "knowledge in another spelling",
      () => answerBytes({ ...given, knowledge: ` ${given.knowledge}` }),
      "knowledge_malformed",
    ],
    [
      "knowledge with a member more",
      () => answerBytes({ ...given, knowledge: given.knowledge.replace("{", '{"more":1,') }),
      "knowledge_malformed",
    ],
    [
      "knowledge that is none",
      () => answerBytes({ ...given, knowledge: "[]" }),
      "knowledge_malformed",
    ],
  ] satisfies [string, () => Uint8Array, string][])("%s", async (_name, bytes, code) => {
    const outcome = await outcomeOf(bytes);
    // A record that is told shorter than it is ends in the middle of itself.
    if (code === "body_mismatch") expect(["body_mismatch", "record_malformed"]).toContain(outcome);
    else expect(outcome).toBe(code);
  });

  test("any byte that is changed is refused, or is told by the signature", async () => {
    const bytes = Buffer.from(answerBytes(given));
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const changed = Buffer.from(bytes);
          changed[at] = (changed[at] ?? 0) ^ by;
          const outcome = await outcomeOf(changed);
          if (outcome !== "taken") return;
          const read = await readAnswer(changed, askedRequest);
          const isSame =
            read.body.toString("latin1") === Buffer.from(given.body).toString("latin1");
          expect(
            isSame &&
              read.knowledge === given.knowledge &&
              JSON.stringify(read.fields) === JSON.stringify(fields),
          ).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("anything at all is refused, never a fault of another kind", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((json) => Buffer.from(`${json}\n[]`)),
        ),
        async (bytes) => {
          expect(await outcomeOf(bytes)).toBe("malformed");
          expect(await codeOf(() => readFailure(bytes))).toBe("malformed");
        },
      ),
    );
  });
});

describe("a request", () => {
  const name = fc.option(fc.string());
  const platform = fc.constantFrom("bluesky", "mastodon", "x");
  const target = fc.oneof(
    fc.record({
      kind: fc.constant("user"),
      platform: fc.option(platform),
      handle: name,
      id: name,
      host: name,
    }),
    fc.record({ kind: fc.constant("space"), platform: fc.option(platform), id: fc.string() }),
  );
  const request = fc.record({
    platform: fc.oneof(platform, fc.constant("social")),
    type: fc.constantFrom("social", "social-api"),
    method: fc.constantFrom("searchbyquery", "getfollowers"),
    query: fc.string({
      unit: fc.constantFrom("a", "é", "\ud800", "\u2028", "\n", '"', "\ud83d\ude00"),
    }),
    target: fc.option(target),
    fromMs: fc.option(fc.integer()),
    toMs: fc.integer(),
    asOfMs: fc.integer(),
    after: fc.option(fc.record({ platform, id: fc.bigInt(0n, lastId) })),
    place: fc.option(
      fc.record({ platform, credentialId: name, cursor: name, lastKey: name, skip: fc.nat(500) }),
    ),
    maxResults: fc.integer({ min: 1, max: 500 }),
  }) as fc.Arbitrary<AnswerRequest>;

  test("is read as it was written, and written in one way", () => {
    fc.assert(
      fc.property(request, (asked) => {
        const text = requestText(asked);
        expect(readRequest(text)).toEqual(asked);
        const reversed = Object.fromEntries(Object.entries(asked).reverse()) as AnswerRequest;
        expect(requestText(reversed)).toBe(text);
      }),
    );
  });

  test("does not tell whose it is, nor which node has the credential", () => {
    const place = {
      platform: "x",
      credentialId: "c",
      cursor: null,
      lastKey: null,
      skip: 0,
      nodeId: "n",
    } as const;
    const asked = { ...askedRequest, place, isKeptHere: true, asked: { startMs: 1, endMs: 2 } };
    const { nodeId: _nodeId, ...told } = place;
    expect(readRequest(requestText(asked))).toEqual({ ...askedRequest, target: null, place: told });
  });

  test.each([
    "",
    "null",
    "{}",
    ` ${requestText(askedRequest)}`,
    requestText(askedRequest).replace("{", '{"query":"dogs",'),
    requestText(askedRequest).replace('"maxResults":10', '"maxResults":1e1'),
    requestText(askedRequest).replace('"maxResults":10', '"maxResults":0'),
    requestText(askedRequest).replace('"x"', '"myspace"'),
    requestText(askedRequest).replace('"after":null', '"after":["x","-1"]'),
    requestText(askedRequest).replace("cats", "c".repeat(70_000)),
    "[".repeat(200_000),
  ])("in any other form is refused", async (text) => {
    expect(await codeOf(() => readRequest(text))).toBe("request_malformed");
  });

  test("that is anything at all is refused, never a fault of another kind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        expect(await codeOf(() => readRequest(text))).toBe("request_malformed");
        expect(await codeOf(() => readKnowledge(text))).toBe("knowledge_malformed");
      }),
    );
  });
});

describe("a failure", () => {
  const failure = { code: "upstream_failed", message: "it failed", status: 502, retryable: true };

  test("is read as it was given, without control characters, and cut where it is too long", () => {
    expect(readFailure(failureBytes(failure))).toEqual(failure);
    expect(readFailure(failureBytes({ ...failure, hint: "a\u001bb" }))).toEqual({
      ...failure,
      hint: "ab",
    });
    const long = readFailure(failureBytes({ ...failure, message: "m".repeat(10_000) }));
    expect(long.message).toHaveLength(4_096);
  });

  test.each([
    [{ ...failure, status: 200 }],
    [{ ...failure, code: "A B" }],
    [{ ...failure, message: "" }],
    [{ ...failure, more: 1 }],
    [{ ...failure, retryable: "yes" }],
    [null],
  ])("in another form is refused: %j", async (told) => {
    expect(await codeOf(() => readFailure(Buffer.from(JSON.stringify(told))))).toBe("malformed");
  });
});
