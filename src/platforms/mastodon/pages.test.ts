import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type PlainSessionOptions,
  plainSession,
} from "../../../testkit/emulators/mastodon/plain-session.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import type { FetchMethod } from "../methods.ts";
import { readTarget } from "../read-target.ts";
import type { UpstreamItem } from "../upstream.ts";
import { createMastodonUpstream } from "./upstream.ts";

let server: MastodonEmulator;
let user: { access: "user"; token: string };
let ids: Record<"ann" | "bob" | "cat" | "first" | "reply" | "deep" | "photo" | "boost", string>;
const upstream = createMastodonUpstream({ instance: null });
const startMs = Date.UTC(2026, 10, 1);

beforeAll(async () => {
  server = await startMastodonEmulator({ now: () => startMs + 86_400_000 });
  const { network } = server;
  const ann = network.addAccount({ username: "ann", displayName: "Ann", note: "Hello &amp; more" });
  const bob = network.addAccount({ username: "bob", bot: true });
  const cat = network.addAccount({ username: "cat", domain: "far.example" });
  const first = network.addStatus({
    accountId: ann.id,
    text: "the first #post",
    createdMs: startMs,
  });
  const reply = network.addStatus({
    accountId: bob.id,
    text: "@ann an answer",
    inReplyToId: first.id,
    createdMs: startMs + 1_000,
  });
  const deep = network.addStatus({
    accountId: ann.id,
    text: "@bob thanks",
    inReplyToId: reply.id,
    createdMs: startMs + 2_000,
  });
  network.addStatus({ accountId: ann.id, text: "for followers", visibility: "private" });
  const photo = network.addStatus({
    accountId: ann.id,
    text: "look",
    media: [{ type: "image", url: "https://files.example/1.png", description: "a cat" }],
    createdMs: startMs + 3_000,
  });
  const boost = network.reblog(bob.id, first.id, { createdMs: startMs + 4_000 });
  for (let index = 0; index < 90; index += 1) {
    const fan = network.addAccount({ username: `fan${index}` });
    network.follow(fan.id, ann.id);
    network.reblog(fan.id, photo.id, { createdMs: startMs + 5_000 + index });
  }
  network.follow(ann.id, bob.id);
  network.follow(ann.id, cat.id);
  network.trends.push("post", "cats", "dogs");
  const { token } = server.addToken({ accountId: ann.id });
  user = { access: "user", token };
  ids = {
    ann: ann.id,
    bob: bob.id,
    cat: cat.id,
    first: first.id,
    reply: reply.id,
    deep: deep.id,
    photo: photo.id,
    boost: boost.id,
  };
});

afterAll(async () => await server.close());

const targetKinds = {
  searchbyprofile: "user",
  getprofilebyid: "user",
  gettweets: "user",
  getmedia: "user",
  getfollowing: "user",
  getfollowers: "user",
  getbyid: "post",
  getreplies: "post",
  getretweeters: "post",
} as const;

async function page(
  method: FetchMethod,
  query: string | null,
  options: PlainSessionOptions & { cursor?: string | null; limit?: number } = {},
) {
  const kind = method in targetKinds ? targetKinds[method as keyof typeof targetKinds] : null;
  const target = kind === null || query === null ? null : readTarget(kind, query, "mastodon");
  const { cursor = null, limit = 100 } = options;
  const session = plainSession(server, { nowMs: startMs + 86_400_000, ...options });
  return await upstream.page({ method, target, cursor, limit }, session);
}

async function fetchAllPages(
  method: FetchMethod,
  query: string | null,
  options: PlainSessionOptions = {},
) {
  const items: UpstreamItem[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const answer = await page(method, query, { ...options, cursor });
    items.push(...answer.items);
    cursor = answer.next;
    pages += 1;
  } while (cursor !== null && pages < 20);
  return { items, pages };
}

const posts = (items: readonly UpstreamItem[]) =>
  items.flatMap((item) => (item.kind === "post" ? [item.post] : []));
const names = (items: readonly UpstreamItem[]) =>
  items.flatMap((item) => (item.kind === "profile" ? [item.profile.username] : []));

describe("accounts", () => {
  it("Mastodon accounts are found by name, with or without their server, and by their id there", async () => {
    const { host } = server;
    for (const query of [
      "@ann",
      `@ann@${host}`,
      `http://${host}/@ann`,
      `${ids.ann}@${host}`,
      ids.ann,
    ]) {
      const { items } = await page("searchbyprofile", query);
      expect(items).toMatchObject([
        {
          kind: "profile",
          profile: {
            userId: `${ids.ann}@${host}`,
            username: `ann@${host}`,
            name: "Ann",
            description: "Hello & more",
            isBot: false,
            isProtected: false,
            verified: null,
            bannerUrl: null,
            counts: { followers: 90, following: 2, posts: 4, listed: null },
          },
        },
      ]);
    }
  });

  it("missing and suspended Mastodon accounts yield an empty page", async () => {
    const removed = server.network.addAccount({ username: "gone", suspended: true });
    for (const query of ["@nobody", "4711"]) {
      const absent = { items: [], next: null, isAbsent: true };
      expect(await page("getprofilebyid", query), query).toEqual(absent);
    }
    for (const query of ["@gone", removed.id]) {
      const withheld = { items: [], next: null, received: 1 };
      expect(await page("getprofilebyid", query), query).toEqual(withheld);
    }
  });

  it("a page with Mastodon accounts on other servers has a warning about missing data", async () => {
    const { items, warnings } = await page("searchbyprofile", "@cat@far.example", user);
    expect(names(items)).toEqual(["cat@far.example"]);
    expect(warnings).toMatchObject([{ code: "partial_view" }]);
  });

  it("a user's server resolves Mastodon accounts that it does not know yet", async () => {
    server.network.addAccount({ username: "dee", domain: "far.example", isKnown: false });
    expect(names((await page("searchbyprofile", "@dee@far.example", user)).items)).toEqual([
      "dee@far.example",
    ]);
  });
});

describe("posts", () => {
  it("Mastodon posts are found by id, by URL and by uri", async () => {
    const { host, url } = server;
    const uri = `${url}/users/ann/statuses/${ids.first}`;
    for (const query of [
      ids.first,
      `${url}/@ann/${ids.first}`,
      uri,
      `import:mastodon:${ids.first}@${host}`,
    ]) {
      expect(posts((await page("getbyid", query)).items)).toMatchObject([
        {
          uri,
          url: `${url}/@ann/${ids.first}`,
          text: "the first #post",
          username: `ann@${host}`,
          userId: `${ids.ann}@${host}`,
          createdMs: startMs,
          seenMs: startMs,
          hashtags: ["post"],
          counts: { likes: 0, reposts: 1, replies: 1, quotes: 0 },
          origin: "upstream",
        },
      ]);
    }
  });

  it("a Mastodon post that is not public is not returned by id, even to its author", async () => {
    const hidden = [...server.network.statuses.values()].find(
      ({ visibility }) => visibility === "private",
    );
    expect((await page("getbyid", hidden?.id ?? "", user)).items).toEqual([]);
  });

  it("Mastodon replies include the replies to replies, with the uris of the thread", async () => {
    const { items } = await page("getreplies", `${server.url}/users/ann/statuses/${ids.first}`);
    expect(posts(items).map(({ text, inReplyTo }) => [text, inReplyTo?.uri])).toEqual([
      ["@ann an answer", `${server.url}/users/ann/statuses/${ids.first}`],
      ["@bob thanks", `${server.url}/users/bob/statuses/${ids.reply}`],
    ]);
  });

  it("all accounts that boosted a Mastodon post are listed, page by page", async () => {
    const { items, pages } = await fetchAllPages("getretweeters", ids.photo);
    expect(new Set(names(items)).size).toBe(90);
    expect(pages).toBe(2);
  });
});

describe("timelines", () => {
  it("the timeline of a Mastodon account has its replies and boosts, newest first, and only public posts", async () => {
    const { items } = await fetchAllPages("gettweets", "@ann");
    expect(posts(items).map(({ text }) => text)).toEqual([
      "look",
      "@bob thanks",
      "the first #post",
    ]);
    const [boost] = posts((await page("gettweets", "@bob")).items);
    expect(boost).toMatchObject({
      isRepost: true,
      isReply: false,
      text: "the first #post",
      username: `bob@${server.host}`,
      createdMs: startMs + 4_000,
      uri: `${server.url}/users/bob/statuses/${ids.boost}/activity`,
      reposted: {
        id: ids.first,
        uri: `${server.url}/users/ann/statuses/${ids.first}`,
        username: `ann@${server.host}`,
        userId: `${ids.ann}@${server.host}`,
      },
    });
  });

  it("the media timeline on Mastodon has only posts with media", async () => {
    expect(posts((await page("getmedia", "@ann")).items)).toMatchObject([
      { media: [{ type: "image", url: "https://files.example/1.png", alt: "a cat" }] },
    ]);
  });

  it("the home timeline on Mastodon is the user's own, including what only followers see", async () => {
    const { items } = await fetchAllPages("gethometweets", null, user);
    expect(posts(items).map(({ text }) => text)).toContain("for followers");
    expect(posts(items)).toHaveLength(6);
  });

  it("Mastodon timelines continue where they stopped, one post at a time, without duplicates or gaps", async () => {
    const postTexts: string[] = [];
    let cursor: string | null = null;
    do {
      const answer = await page("gettweets", "@ann", { cursor, limit: 1 });
      postTexts.push(...posts(answer.items).map(({ text }) => text));
      cursor = answer.next;
    } while (cursor !== null);
    expect(postTexts).toEqual(["look", "@bob thanks", "the first #post"]);
  });
});

describe("lists", () => {
  it("Mastodon lists of followers and follows are complete", async () => {
    expect(new Set(names((await fetchAllPages("getfollowers", "@ann")).items)).size).toBe(90);
    expect(names((await fetchAllPages("getfollowing", "@ann")).items)).toEqual([
      "cat@far.example",
      `bob@${server.host}`,
    ]);
  });

  it("Mastodon lists that an account hides are empty, with a warning", async () => {
    server.network.addAccount({ username: "shy", hidesCollections: true });
    expect(await page("getfollowers", "@shy")).toMatchObject({
      items: [],
      warnings: [{ code: "hidden_list" }],
    });
  });
});

describe("trends", () => {
  it("Mastodon trends are ranked across pages", async () => {
    const first = await page("gettrends", null, { limit: 2 });
    const second = await page("gettrends", null, { limit: 2, cursor: first.next });
    expect([...first.items, ...second.items]).toMatchObject([
      { trend: { rank: 1, name: "#post", posts: 3 } },
      { trend: { rank: 2, name: "#cats" } },
      { trend: { rank: 3, name: "#dogs" } },
    ]);
    expect(second.next).toBeNull();
  });
});

it("a malformed cursor, or one from another server, is rejected", async () => {
  for (const cursor of [
    "evil.example 1 max_id=1",
    `${server.host} 1 limit=9`,
    "",
    `${server.host} ../x max_id=1`,
  ]) {
    await expect(page("gettweets", "@ann", { cursor })).rejects.toMatchObject({
      code: "cursor_invalid",
    });
  }
});
