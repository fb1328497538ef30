import { describe, expect, test } from "vitest";
import type { Sources } from "../platforms/answer/sources.ts";
import type { FetchMethod } from "../platforms/methods.ts";
import type { SearchPlatform } from "../platforms/source.ts";
import type { Platform } from "../posts/post.ts";
import { askedTarget } from "./asked-target.ts";

const caller = {
  accountId: "one",
  keyId: "key",
  requestsPerSecond: null,
  submissionsPerMinute: null,
  methods: null,
  ratesKeyId: "key",
};
type Known = { platform: Platform; uri: string };

/** What a query is read as, where records and platforms are as a test says. */
async function read(
  method: FetchMethod,
  query: string,
  {
    platform = "social" as SearchPlatform,
    defaultPlatform = "bluesky" as Platform,
    held = [] as Known[],
    fetched = [] as Known[],
    lacks = [] as Platform[],
    isConfigured = true,
  } = {},
) {
  const answerable: Sources["answerable"] = async (asked) =>
    lacks.includes(asked.platform)
      ? { ok: false, why: "no_counterpart", message: `${asked.platform} lacks it`, hint: "ask x" }
      : { ok: true, isAsked: isConfigured };
  const context = {
    sources: { defaultPlatform, answerable } as Sources,
    archive: {
      records: async (positions: readonly { platform: Platform }[]) => ({
        records: held
          .filter((one) => positions.some((position) => position.platform === one.platform))
          .map((Metadata) => JSON.stringify({ ID: "7", Content: "", Metadata, Score: 1 })),
        damage: [],
      }),
      page: async () => ({ body: new Uint8Array(), damage: [] }),
      withheld: async () => [],
    },
    fetchedPosts: async () => fetched,
  };
  return await askedTarget(context, caller, {
    platform,
    type: "social",
    method,
    query,
    maxResults: 20,
    nextCursor: null,
    bounds: { startMs: null, endMs: null },
    warnings: [],
  });
}

const uri = "at://did:plc:ann/app.bsky.feed.post/3k";
const onMastodon = "https://mas.to/users/ann/statuses/109";

describe("a number", () => {
  test("is the post of the record that has it", async () => {
    const asked = await read("getbyid", "7", { held: [{ platform: "bluesky", uri }] });
    expect(asked).toMatchObject({ platform: "bluesky", canonicalQuery: uri, warnings: [] });
    expect(asked.target).toMatchObject({ kind: "post", uri, id: null });
  });

  test("is the post that was shown under it, with what its uri tells", async () => {
    const asked = await read("getreplies", "7", {
      fetched: [{ platform: "mastodon", uri: onMastodon }],
    });
    expect(asked).toMatchObject({ platform: "mastodon", canonicalQuery: onMastodon });
    expect(asked.target).toMatchObject({ uri: onMastodon, id: "109", host: "mas.to" });
  });

  test("of records on two platforms is that of the default platform", async () => {
    const held: Known[] = [
      { platform: "bluesky", uri },
      { platform: "x", uri: "https://x.com/i/status/7" },
    ];
    expect((await read("getbyid", "7", { held })).platform).toBe("bluesky");
    const asked = await read("getbyid", "7", { held, defaultPlatform: "x" });
    expect(asked).toMatchObject({ platform: "x", canonicalQuery: "x:7" });
  });

  test("is not looked for on other platforms than the one of the path", async () => {
    const asked = await read("getbyid", "7", {
      platform: "mastodon",
      fetched: [{ platform: "bluesky", uri }],
    });
    expect(asked).toMatchObject({ platform: "mastodon", canonicalQuery: "mastodon:7" });
  });

  test("of a record that an import named in its own way is known by that name", async () => {
    const name = "import:bluesky:no address, with spaces";
    const asked = await read("getbyid", "7", { held: [{ platform: "bluesky", uri: name }] });
    expect(asked.target).toMatchObject({ platform: "bluesky", uri: name });
  });

  test("that no record has is X's own, an id on a Mastodon server, or nothing", async () => {
    const onX = await read("getbyid", "7", { defaultPlatform: "x" });
    expect(onX).toMatchObject({ platform: "x", canonicalQuery: "x:7", warnings: [] });
    const mastodon = await read("getbyid", "7", { defaultPlatform: "mastodon" });
    expect(mastodon).toMatchObject({ canonicalQuery: "mastodon:7", warnings: [] });
    const { platform, warnings } = await read("getbyid", "7");
    expect(platform).toBe("bluesky");
    expect(warnings).toMatchObject([{ code: "unknown_id" }]);
  });
});

describe("the platform", () => {
  test("is the default one where neither path nor query names any", async () => {
    const asked = await read("gettweets", "ann", { defaultPlatform: "x" });
    expect(asked).toMatchObject({ platform: "x", canonicalQuery: "x:@ann" });
    await expect(read("gettweets", "ann")).rejects.toMatchObject({ code: "invalid_query" });
  });

  test("of a method without a query is that of the path, else the default one", async () => {
    const nothing = { target: null, canonicalQuery: "", warnings: [] };
    expect(await read("gettrends", "")).toEqual({ ...nothing, platform: "bluesky" });
    const asked = await read("gettrends", "", { platform: "x" });
    expect(asked).toEqual({ ...nothing, platform: "x" });
  });

  test("that cannot be asked leaves the answer to the archive, and a warning says so", async () => {
    const { warnings } = await read("gettweets", "x:@ann", { isConfigured: false });
    expect(warnings).toMatchObject([{ code: "no_credential" }]);
    expect(warnings[0]?.message).toContain("ask x for gettweets");
  });

  test("that cannot answer is refused, before its query is read where the path names it", async () => {
    const refused = { code: "source_unavailable", status: 422, hint: "ask x" };
    const lacks: Platform[] = ["bluesky"];
    const byPath = read("getspace", "not a space", { platform: "bluesky", lacks });
    await expect(byPath).rejects.toMatchObject(refused);
    await expect(read("gettweets", "ann.example", { lacks })).rejects.toMatchObject(refused);
    expect(await read("gettweets", "x:@ann", { lacks })).toMatchObject({ platform: "x" });
  });
});
