import { describe, expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { FetchMethod } from "../../platforms/methods.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { SourceAvailability } from "../../search/sources.ts";
import type { HttpContext } from "../context.ts";
import { requestedTarget } from "./requested-target.ts";

const caller = {
  accountId: "one",
  keyId: "key",
  requestsPerSecond: null,
  submissionsPerMinute: null,
  methods: null,
  ratesKeyId: "key",
};
type KnownPost = { platform: Platform; uri: string };

async function resolve(
  method: FetchMethod,
  query: string,
  {
    platform = "social" as SearchPlatform,
    defaultPlatform = "bluesky" as Platform,
    archived = [] as KnownPost[],
    fetched = [] as KnownPost[],
    unsupported = [] as Platform[],
    isConfigured = true,
    requestable = (isConfigured ? platforms : []) as readonly Platform[],
    accounts = [] as { platform: Platform; handle: string }[],
    authors = [] as Platform[],
  } = {},
) {
  const answerable: SourceAvailability["answerable"] = async (work) =>
    unsupported.includes(work.platform)
      ? {
          ok: false,
          why: "no_counterpart",
          message: `${work.platform} lacks it`,
          hint: "use x",
        }
      : { ok: true, usesUpstream: requestable.includes(work.platform) };
  const context = {
    sources: { defaultPlatform, answerable } as SourceAvailability,
    archive: {
      records: async (positions: readonly { platform: Platform }[]) => ({
        records: archived
          .filter(({ platform }) => positions.some((position) => position.platform === platform))
          .map((Metadata) => JSON.stringify({ ID: "7", Content: "", Metadata, Score: 1 })),
        damage: [],
      }),
      page: async () => ({ body: new Uint8Array(), damage: [] }),
      withheld: async () => [],
      accountsNamed: async (name: string) =>
        accounts.filter(({ handle }) => handle === name || /^[.@]/.test(handle.slice(name.length))),
      search: async (params: { platforms: readonly Platform[] }) => ({
        positions: params.platforms
          .filter((name) => authors.includes(name))
          .map((name) => ({ id: 7n, platform: name })),
      }),
    } as unknown as HttpContext["archive"],
    clock: createManualClock(0),
    fetchedPosts: async () => fetched,
  };
  return await requestedTarget(context, caller, {
    platform,
    type: "social",
    method,
    query,
    maxResults: 20,
    nextCursor: null,
    bounds: { startMs: null, endMs: null },
    argumentsPointer: "/arguments",
    warnings: [],
  });
}

const uri = "at://did:plc:ann/app.bsky.feed.post/3k";
const onMastodon = "https://mas.to/users/ann/statuses/109";

describe("a number", () => {
  test("a post number means the post of the record with this ID", async () => {
    const target = await resolve("getbyid", "7", { archived: [{ platform: "bluesky", uri }] });
    expect(target).toMatchObject({ platform: "bluesky", canonicalQuery: uri, warnings: [] });
    expect(target.target).toMatchObject({ kind: "post", uri, id: null });
  });

  test("a post number means the post that was shown under this ID, identified by its uri", async () => {
    const target = await resolve("getreplies", "7", {
      fetched: [{ platform: "mastodon", uri: onMastodon }],
    });
    expect(target).toMatchObject({ platform: "mastodon", canonicalQuery: onMastodon });
    expect(target.target).toMatchObject({ uri: onMastodon, id: "109", host: "mas.to" });
  });

  test("a post number of records on two platforms means the one on the default platform", async () => {
    const archived: KnownPost[] = [
      { platform: "bluesky", uri },
      { platform: "x", uri: "https://x.com/i/status/7" },
    ];
    expect((await resolve("getbyid", "7", { archived })).platform).toBe("bluesky");
    const target = await resolve("getbyid", "7", { archived, defaultPlatform: "x" });
    expect(target).toMatchObject({ platform: "x", canonicalQuery: "x:7" });
  });

  test("a post number is looked up only on the platform of the path", async () => {
    const target = await resolve("getbyid", "7", {
      platform: "mastodon",
      fetched: [{ platform: "bluesky", uri }],
    });
    expect(target).toMatchObject({ platform: "mastodon", canonicalQuery: "mastodon:7" });
  });

  test("a post number of an imported record is resolved to the name that the import assigned", async () => {
    const name = "import:bluesky:no address, with spaces";
    const target = await resolve("getbyid", "7", {
      archived: [{ platform: "bluesky", uri: name }],
    });
    expect(target.target).toMatchObject({ platform: "bluesky", uri: name });
  });

  test("a post number without a record means an X ID, a Mastodon ID or an unknown post, by default platform", async () => {
    const onX = await resolve("getbyid", "7", { defaultPlatform: "x" });
    expect(onX).toMatchObject({ platform: "x", canonicalQuery: "x:7", warnings: [] });
    const mastodon = await resolve("getbyid", "7", { defaultPlatform: "mastodon" });
    expect(mastodon).toMatchObject({ canonicalQuery: "mastodon:7", warnings: [] });
    const { platform, warnings } = await resolve("getbyid", "7");
    expect(platform).toBe("bluesky");
    expect(warnings).toMatchObject([{ code: "unknown_id" }]);
  });
});

describe("the platform", () => {
  test("the platform of a request is the default one if neither path nor query names one", async () => {
    const target = await resolve("gettweets", "ann", { defaultPlatform: "x" });
    expect(target).toMatchObject({ platform: "x", canonicalQuery: "x:@ann", warnings: [] });
  });

  test("the platform of a method without a query is that of the path, or else the default one", async () => {
    const nothing = { target: null, canonicalQuery: "", warnings: [] };
    expect(await resolve("gettrends", "")).toEqual({ ...nothing, platform: "bluesky" });
    const target = await resolve("gettrends", "", { platform: "x" });
    expect(target).toEqual({ ...nothing, platform: "x" });
  });

  test("a request for a platform without a configured source gives a warning", async () => {
    const { warnings } = await resolve("gettweets", "x:@ann", { isConfigured: false });
    expect(warnings).toMatchObject([{ code: "no_credential" }]);
    expect(warnings[0]?.message).toContain("no configured source supports gettweets on x");
  });

  test("a platform without the method is rejected, before the query is read if the path names the platform", async () => {
    const refusal = { code: "source_unavailable", status: 422, hint: "use x" };
    const unsupported: Platform[] = ["bluesky"];
    const byPath = resolve("getspace", "not a space", { platform: "bluesky", unsupported });
    await expect(byPath).rejects.toMatchObject(refusal);
    await expect(resolve("gettweets", "ann.example", { unsupported })).rejects.toMatchObject(
      refusal,
    );
    expect(await resolve("gettweets", "x:@ann", { unsupported })).toMatchObject({ platform: "x" });
  });
});

describe("a username without a platform", () => {
  const onX = { platform: "x", handle: "ann" } as const;
  const onBluesky = { platform: "bluesky", handle: "ann.bsky.social" } as const;
  const onMastodon = { platform: "mastodon", handle: "ann@mas.to" } as const;

  test.each([
    [onX, "x:@ann"],
    [onBluesky, "bluesky:@ann.bsky.social"],
    [onMastodon, "@ann@mas.to"],
  ])(
    "a username without a platform means the only account with this name in the archive: %j",
    async (account, form) => {
      for (const query of ["ann", " @Ann "]) {
        const target = await resolve("gettweets", query, { accounts: [account] });
        expect(target).toMatchObject({
          platform: account.platform,
          canonicalQuery: form,
          target: { kind: "user", platform: account.platform, handle: account.handle, id: null },
          warnings: [{ code: "platform_assumed", hint: `send ${form} to name this account` }],
        });
      }
    },
  );

  test("a username of several archived accounts is rejected with a form for each", async () => {
    const rejection = resolve("searchbyprofile", "ann", { accounts: [onBluesky, onMastodon, onX] });
    const forms = ["bluesky:@ann.bsky.social", "@ann@mas.to", "x:@ann"];
    await expect(rejection).rejects.toMatchObject({
      code: "invalid_query",
      status: 400,
      details: [
        {
          code: "ambiguous_user",
          expected: forms,
          pointer: "/arguments/query",
          offset: 0,
          length: 3,
        },
      ],
    });
    for (const form of forms) {
      const target = await resolve("searchbyprofile", form, {
        accounts: [onBluesky, onMastodon, onX],
      });
      expect(target).toMatchObject({ canonicalQuery: form, warnings: [] });
    }
  });

  test("a username without a platform does not mean accounts on platforms without a source", async () => {
    const accounts = [onBluesky, onX];
    const target = await resolve("getfollowers", "ann", { accounts, unsupported: ["bluesky"] });
    expect(target).toMatchObject({ platform: "x", canonicalQuery: "x:@ann" });
  });

  test("a username without a platform may mean an imported author without a known id", async () => {
    const target = await resolve("gettweets", "ann", { authors: ["x"], requestable: ["bluesky"] });
    expect(target).toMatchObject({ platform: "x", canonicalQuery: "x:@ann" });
  });

  test("a username that is not archived belongs to the only platform that can be requested", async () => {
    const requestable: Platform[] = ["mastodon"];
    const target = await resolve("getfollowing", "ann", { requestable });
    expect(target).toMatchObject({
      platform: "mastodon",
      canonicalQuery: "mastodon:@ann",
      warnings: [{ code: "platform_assumed" }],
    });
    await expect(resolve("getfollowing", "ann")).rejects.toMatchObject({
      details: [{ code: "ambiguous_user", expected: expect.arrayContaining(["x:@ann"]) }],
    });
  });

  test("a username belongs to the default platform if it is valid there and the platform can be requested, or if nothing else is known", async () => {
    const defaultPlatform = "x";
    const target = await resolve("gettweets", "ann", { defaultPlatform, accounts: [onBluesky] });
    expect(target).toMatchObject({ platform: "x", warnings: [] });
    const unrequestedTarget = await resolve("gettweets", "ann", {
      defaultPlatform,
      isConfigured: false,
    });
    expect(unrequestedTarget).toMatchObject({ platform: "x", canonicalQuery: "x:@ann" });
    const archivedTarget = await resolve("gettweets", "ann", {
      defaultPlatform,
      accounts: [onBluesky],
      isConfigured: false,
    });
    expect(archivedTarget).toMatchObject({ platform: "bluesky" });
  });

  test("an unknown username is rejected with the forms that name an account", async () => {
    await expect(resolve("gettweets", "ann", { isConfigured: false })).rejects.toMatchObject({
      code: "invalid_query",
      hint: "use bluesky:@ann.bsky.social, mastodon:@ann, x:@ann or @ann@<server>",
      details: [{ code: "invalid_user" }],
    });
  });

  test("a username belongs to the platform of the path if it names one", async () => {
    const target = await resolve("gettweets", "ann", { platform: "x", accounts: [onBluesky] });
    expect(target).toMatchObject({ platform: "x", canonicalQuery: "x:@ann", warnings: [] });
  });
});
