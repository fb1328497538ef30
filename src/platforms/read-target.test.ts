import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileTexts } from "../../testkit/data/hostile-text.ts";
import { EarshotError } from "../lib/errors.ts";
import { platforms } from "../posts/post.ts";
import { readTarget, type TargetKind } from "./read-target.ts";
import type { SearchPlatform } from "./source.ts";
import { targetText } from "./target.ts";

const did = "did:plc:z72i7hdynmk6r22z27h6tvur";
const ulid = "01HZX5Y9K3V4M8Q2W7T6R1N0PB";

describe("the account in a query", () => {
  test.each([
    ["@ann", "social", { platform: null, handle: "ann" }],
    ["ann", "social", { platform: null, handle: "ann" }],
    [" @ann\n", "x", { platform: "x", handle: "ann" }],
    ["＠ann", "x", { platform: "x", handle: "ann" }],
    ["x:@ann", "social", { platform: "x", handle: "ann" }],
    ["twitter:ann", "social", { platform: "x", handle: "ann" }],
    ["X:20", "social", { platform: "x", id: "20" }],
    ["20", "social", { platform: null, id: "20" }],
    ["20", "x", { platform: "x", id: "20" }],
    ["020", "x", { platform: "x", id: "20" }],
    ["@20", "x", { platform: "x", handle: "20" }],
    ["https://x.com/ann", "social", { platform: "x", handle: "ann" }],
    ["https://mobile.twitter.com/@ann/", "social", { platform: "x", handle: "ann" }],
    ["x.com/ann/status/20", "social", { platform: "x", handle: "ann" }],
    ["https://x.com/i/user/20", "x", { platform: "x", id: "20" }],
    ["https://x.com/intent/user?screen_name=ann", "social", { platform: "x", handle: "ann" }],
    ["ann.bsky.social", "social", { platform: "bluesky", handle: "ann.bsky.social" }],
    ["@Ann.Bsky.Social", "bluesky", { platform: "bluesky", handle: "ann.bsky.social" }],
    [did, "social", { platform: "bluesky", id: did }],
    [`bsky:${did}`, "social", { platform: "bluesky", id: did }],
    [`at://${did}`, "social", { platform: "bluesky", id: did }],
    [`at://${did}/app.bsky.feed.post/3k`, "social", { platform: "bluesky", id: did }],
    ["at://ann.example", "bluesky", { platform: "bluesky", handle: "ann.example" }],
    [`https://bsky.app/profile/${did}/followers`, "social", { platform: "bluesky", id: did }],
    ["bsky.app/profile/ann.example", "social", { platform: "bluesky", handle: "ann.example" }],
    [
      "https://bsky.app/profile/did%3Aplc%3Aann/post/3k",
      "social",
      { platform: "bluesky", id: "did:plc:ann" },
    ],
    ["@ann@mas.to", "social", { platform: "mastodon", handle: "ann@mas.to" }],
    ["ann@Mas.to", "mastodon", { platform: "mastodon", handle: "ann@mas.to" }],
    ["mastodon:ann", "social", { platform: "mastodon", handle: "ann" }],
    ["ann.b", "mastodon", { platform: "mastodon", handle: "ann.b" }],
    ["109@mas.to", "social", { platform: "mastodon", id: "109@mas.to", host: "mas.to" }],
    ["@109@mas.to", "social", { platform: "mastodon", handle: "109@mas.to" }],
    [`${ulid}@gts.org`, "social", { platform: "mastodon", id: `${ulid}@gts.org`, host: "gts.org" }],
    ["9n2ciuz1wdesFnrGJU", "mastodon", { platform: "mastodon", id: "9n2ciuz1wdesFnrGJU" }],
    ["109", "mastodon", { platform: "mastodon", id: "109" }],
    [
      "https://mas.to/@ann",
      "social",
      { platform: "mastodon", handle: "ann@mas.to", host: "mas.to" },
    ],
    ["mas.to/@ann/109", "social", { platform: "mastodon", handle: "ann@mas.to", host: "mas.to" }],
    [
      "https://mas.to/@ann@far.org",
      "mastodon",
      { platform: "mastodon", handle: "ann@far.org", host: "mas.to" },
    ],
    [
      "https://mas.to/web/@ann",
      "social",
      { platform: "mastodon", handle: "ann@mas.to", host: "mas.to" },
    ],
    [
      "https://mas.to/users/ann/statuses/1",
      "social",
      { platform: "mastodon", handle: "ann@mas.to", host: "mas.to" },
    ],
    [
      "https://mas.to/web/accounts/109",
      "social",
      { platform: "mastodon", id: "109@mas.to", host: "mas.to" },
    ],
    [
      "https://mas.to/ap/users/115/statuses/116",
      "social",
      { platform: "mastodon", id: "115@mas.to", host: "mas.to" },
    ],
    [
      "http://127.0.0.1:3000/@ann",
      "mastodon",
      { platform: "mastodon", handle: "ann@127.0.0.1:3000", host: "127.0.0.1:3000" },
    ],
  ] as const)("an account is read from the query %s on %s", (text, platform, expected) => {
    const empty = { kind: "user", handle: null, id: null, host: null };
    expect(readTarget("user", text, platform)).toEqual({ ...empty, ...expected });
  });
});

describe("the post in a query", () => {
  const onX = { platform: "x", id: "20", uri: "https://x.com/i/status/20" };
  test.each([
    ["20", "x", onX],
    ["x:20", "social", onX],
    ["20", "social", { platform: null, id: "20" }],
    ["20", "bluesky", { platform: "bluesky", id: "20" }],
    ["20", "mastodon", { platform: "mastodon", id: "20" }],
    [
      "https://twitter.com/jack/status/20?s=21",
      "social",
      { ...onX, url: "https://twitter.com/jack/status/20?s=21" },
    ],
    [
      "x.com/i/web/status/20/photo/1",
      "x",
      { ...onX, url: "https://x.com/i/web/status/20/photo/1" },
    ],
    ["https://x.com/i/status/20", "social", { ...onX, url: "https://x.com/i/status/20" }],
    [
      `at://${did}/app.bsky.feed.post/3k`,
      "social",
      { platform: "bluesky", uri: `at://${did}/app.bsky.feed.post/3k` },
    ],
    [
      "at://Ann.example/app.bsky.feed.post/3k",
      "social",
      { platform: "bluesky", handle: "ann.example", key: "3k" },
    ],
    [
      `https://bsky.app/profile/${did}/post/3k`,
      "bluesky",
      {
        platform: "bluesky",
        uri: `at://${did}/app.bsky.feed.post/3k`,
        url: `https://bsky.app/profile/${did}/post/3k`,
      },
    ],
    [
      "bsky.app/profile/ann.example/post/3k",
      "social",
      {
        platform: "bluesky",
        handle: "ann.example",
        key: "3k",
        url: "https://bsky.app/profile/ann.example/post/3k",
      },
    ],
    [
      "https://mas.to/@ann/109",
      "social",
      { platform: "mastodon", id: "109", host: "mas.to", url: "https://mas.to/@ann/109" },
    ],
    [
      "https://mas.to/@ann@far.org/109",
      "social",
      { platform: "mastodon", id: "109", host: "mas.to", url: "https://mas.to/@ann@far.org/109" },
    ],
    [
      `https://gts.org/@ann/statuses/${ulid}`,
      "mastodon",
      {
        platform: "mastodon",
        id: ulid,
        host: "gts.org",
        url: `https://gts.org/@ann/statuses/${ulid}`,
      },
    ],
    [
      "https://mas.to/users/ann/statuses/109?x",
      "social",
      {
        platform: "mastodon",
        uri: "https://mas.to/users/ann/statuses/109",
        id: "109",
        host: "mas.to",
        url: "https://mas.to/users/ann/statuses/109?x",
      },
    ],
    [
      "https://misskey.io/notes/9abc",
      "social",
      {
        platform: "mastodon",
        uri: "https://misskey.io/notes/9abc",
        host: "misskey.io",
        url: "https://misskey.io/notes/9abc",
      },
    ],
    ["109@mas.to", "mastodon", { platform: "mastodon", id: "109", host: "mas.to" }],
    ["109@Mas.to", "social", { platform: "mastodon", id: "109", host: "mas.to" }],
    [`${ulid}@gts.org`, "social", { platform: "mastodon", id: ulid, host: "gts.org" }],
    [
      "9h2k1x0abc@misskey.io",
      "social",
      { platform: "mastodon", id: "9h2k1x0abc", host: "misskey.io" },
    ],
    [
      "import:mastodon:7@mas.to",
      "social",
      { platform: "mastodon", uri: "import:mastodon:7@mas.to" },
    ],
  ] as const)("a post is read from the query %s on %s", (text, platform, expected) => {
    const empty = {
      kind: "post",
      uri: null,
      id: null,
      host: null,
      url: null,
      handle: null,
      key: null,
    };
    expect(readTarget("post", text, platform)).toEqual({ ...empty, ...expected });
  });
});

test.each([
  "1YqKDqWqdPLsV",
  "x:1YqKDqWqdPLsV",
  "https://x.com/i/spaces/1YqKDqWqdPLsV?s=20",
  "twitter.com/i/spaces/1YqKDqWqdPLsV/peek",
])("a Space is read from %s", (text) => {
  const space = { kind: "space", platform: "x", id: "1YqKDqWqdPLsV" };
  expect(readTarget("space", text, "social")).toEqual(space);
});

function getRejection(kind: TargetKind, text: string, platform: SearchPlatform) {
  try {
    readTarget(kind, text, platform);
  } catch (error) {
    if (error instanceof EarshotError) return { error, detail: error.details[0] };
  }
  throw new Error("nothing was refused");
}

describe("a text that names no target", () => {
  test.each([
    ["user", "", "social", 0, 0],
    ["user", "  ann smith", "social", 5, 1],
    ["user", "😀 ann", "social", 1, 1],
    ["user", "@", "x", 0, 1],
    ["user", "a\u202eb", "social", 1, 1],
    ["user", "ann", "bluesky", 0, 3],
    ["user", "12", "bluesky", 0, 2],
    ["user", "x:", "social", 0, 2],
    ["user", "did:plc", "social", 0, 7],
    ["user", "https://x.com/home", "social", 0, 18],
    ["user", "https://x.com/i/status/20", "social", 0, 25],
    ["user", "https://bsky.app/", "social", 0, 17],
    ["user", "https://bsky.app/profile/%E0%A4%A", "social", 0, 33],
    ["user", "https://ann:secret@mas.to/@ann", "social", 0, 30],
    ["user", "https://mas.to/about", "social", 0, 20],
    ["user", "@ann@mas.to@far.org", "social", 0, 19],
    ["user", "@ann@mas.to/path", "social", 0, 16],
    ["post", "0", "x", 0, 1],
    ["post", "9223372036854775808", "social", 0, 19],
    ["post", "comet", "social", 0, 5],
    ["post", "comet@mas.to", "social", 0, 12],
    ["post", `at://${did}/app.bsky.feed.like/3k`, "social", 0, 59],
    ["post", `at://${did}/app.bsky.feed.post/3k/x`, "social", 0, 61],
    ["post", "https://x.com/ann", "social", 0, 17],
    ["space", "no space", "social", 2, 1],
    ["space", "https://x.com/i/status/20", "social", 0, 25],
  ] as const)(
    "a text that names no %s is rejected: %j on %s",
    (kind, text, platform, offset, length) => {
      const { error, detail } = getRejection(kind, text, platform);
      expect(error).toMatchObject({ code: "invalid_query", status: 400 });
      expect(detail).toMatchObject({ pointer: "/arguments/query", offset, length });
      expect(detail?.hint).toEqual(expect.any(String));
      expect(error.message).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
    },
  );

  test("the hint for a rejected target shows the expected form", () => {
    expect(getRejection("user", "ann", "bluesky").error.hint).toContain("ann.bsky.social");
    expect(getRejection("user", "12", "bluesky").error.hint).toContain("x:12");
  });

  test("an overlong target is rejected without being repeated", () => {
    const { error, detail } = getRejection("user", `@${"a".repeat(5_000)}`, "social");
    expect(detail).toMatchObject({ offset: 2_048, length: 2_953 });
    expect(error.message.length).toBeLessThan(200);
  });
});

test.each([
  ["user", "ann.bsky.social", "x", "bluesky"],
  ["user", "x:ann", "mastodon", "x"],
  ["user", "x:ann.bsky.social", "social", "bluesky"],
  ["user", "ann@mas.to", "bluesky", "mastodon"],
  ["user", did, "mastodon", "bluesky"],
  ["post", "https://x.com/ann/status/1", "bluesky", "x"],
  ["post", "https://mas.to/@ann/1", "x", "mastodon"],
  ["post", "109@mas.to", "bluesky", "mastodon"],
  ["space", "https://x.com/i/spaces/1a", "mastodon", "x"],
] as const)(
  "a %s %s requested on %s is rejected, because it belongs to %s",
  (kind, text, path, owner) => {
    const { error, detail } = getRejection(kind, text, path);
    expect(error).toMatchObject({ code: "platform_mismatch", status: 400 });
    expect(error.message).toContain(owner);
    expect(detail).toMatchObject({ code: "platform_mismatch", pointer: "/arguments/query" });
  },
);

const kinds = fc.constantFrom<TargetKind>("user", "post", "space");
const paths = fc.constantFrom<SearchPlatform>("social", ...platforms);
const pieces = fc.constantFrom(
  ...["@", ":", "/", ".", "x", "twitter", "bsky.app", "profile", "post", "status", "at://", did],
  ...["ann", "20", "mas.to", "https://", "x.com", "i", "spaces", "users", "statuses", ulid, "%2F"],
  ...["mastodon", "?", "#", "\\", "é", "😀", "\ud800", "[::1]", "0", "web", "ap", "import:"],
);
const account = fc.constantFrom(
  "ann",
  "20",
  did,
  "ann.example",
  "@Ann@mas.to",
  ulid,
  "x:7",
  "a@b.c",
);
const address = fc.constantFrom(
  ...["https://x.com/", "https://x.com/i/status/", "https://bsky.app/profile/", "https://mas.to/@"],
  ...["https://mas.to/users/", "https://misskey.io/notes/", "https://x.com/i/spaces/", "at://", ""],
);
const rest = fc.constantFrom("", "/", "/post/3k", "/status/5", "/5", "/statuses/5", "?a=b", "#c");
const texts = fc.oneof(
  fc.tuple(address, account, rest).map((all) => all.join("")),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(pieces, { maxLength: 12 }).map((all) => all.join("")),
);

test("any text is either read as a target or rejected with the offset of the error", () => {
  fc.assert(
    fc.property(kinds, texts, paths, (kind, text, path) => {
      try {
        const target = readTarget(kind, text, path);
        expect(target.kind).toBe(kind);
        if (path !== "social") expect(target.platform).toBe(path);
      } catch (error) {
        if (!(error instanceof EarshotError)) throw error;
        const [detail] = error.details;
        const end = (detail?.offset ?? 0) + (detail?.length ?? 0);
        expect(end).toBeLessThanOrEqual([...text].length);
        expect(["invalid_query", "platform_mismatch"]).toContain(error.code);
      }
    }),
    { numRuns: 3_000 },
  );
});

test("the canonical form of a target is read as the same target, and is its own canonical form", () => {
  let readCount = 0;
  fc.assert(
    fc.property(kinds, texts, paths, (kind, text, path) => {
      const target = attempt(() => readTarget(kind, text, path));
      if (target === null || target.platform === null) return;
      readCount += 1;
      const form = targetText(target);
      const again = readTarget(kind, form, "social");
      expect(again.platform).toBe(target.platform);
      expect(targetText(again)).toBe(form);
    }),
    { numRuns: 3_000 },
  );
  expect(readCount).toBeGreaterThan(100);
});

function attempt<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

test("hostile texts are read as targets in linear time", () => {
  const sources = [
    "https://x.com/i/status/20",
    "at://did:plc:ann/app.bsky.feed.post/3k",
    "ann.b-c@mas.to:1",
    "[a-z0-9-]+(.[a-z0-9-]+)+:d/",
    "9n2ciuz1wdesFnrGJU",
  ];
  const startedMs = performance.now();
  let count = 0;
  for (const source of sources) {
    for (const text of hostileTexts(source, 2_000)) {
      count += 1;
      for (const kind of ["user", "post", "space"] as const) {
        attempt(() => readTarget(kind, text, "social"));
      }
    }
  }
  expect((performance.now() - startedMs) / count).toBeLessThan(5);
});
