import { parseQuery } from "@earshot/query";
import { namesIn } from "@earshot/query/plan";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainSession } from "../../../testkit/emulators/mastodon/plain-session.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import type { Post } from "../../posts/post.ts";
import { matchingPosts } from "../../search/platform/matching-posts.ts";
import type { Session } from "../session.ts";
import type { SearchCall, UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { createMastodonUpstream } from "./upstream.ts";
import { fetchedPost } from "./view-page.ts";

let server: MastodonEmulator;
let token: string;
const endMs = Date.UTC(2026, 10, 20, 12);
const dayMs = 86_400_000;
const search = createMastodonUpstream({ instance: null }).search;
if (search === null) throw new Error("no search");

const words = ["comet", "moon", "stars", "orbit"];
const tags = ["space", "cats", "art"];

beforeAll(async () => {
  server = await startMastodonEmulator({ now: () => endMs });
  const { network } = server;
  const authors = ["ann", "bob", "shy"].map((username) =>
    network.addAccount({
      username,
      indexable: username !== "shy",
      domain: username === "bob" ? "far.example" : null,
    }),
  );
  authors.push(network.addAccount({ username: "ann", domain: "far.example" }));
  for (let index = 0; index < 120; index += 1) {
    const has = (prime: number): boolean => (index * 7919) % prime < prime / 3;
    const text = [
      ...words.filter((_, position) => has(5 + 2 * position)),
      ...tags.filter((_, position) => has(7 + 3 * position)).map((tag) => `#${tag}`),
      has(11) ? "@bob@far.example" : "",
      has(6) ? "moons" : "",
      `post ${index}`,
    ];
    network.addStatus({
      accountId: authors[index % authors.length]?.id ?? "",
      text: text.join(" "),
      createdMs: endMs - ((index * 37) % 120) * (dayMs / 12),
      visibility: index % 19 === 0 ? "unlisted" : index % 23 === 0 ? "private" : "public",
      language: has(13) ? "de" : has(17) ? null : "en",
      sensitive: has(23),
      media: has(9)
        ? [{ type: "image", url: "https://files.example/1.png", description: "a moon" }]
        : [],
      inReplyToId: has(8) ? ([...network.statuses.keys()].at(-1) ?? null) : null,
    });
  }
  token = server.addToken({ accountId: network.addAccount({ username: "me" }).id }).token;
});
afterAll(async () => await server.close());

type SearchResult = { posts: Post[]; warnings: UpstreamWarning[]; pages: number } | null;

async function runSearch(
  query: string,
  { fromMs = null, toMs = endMs + 1, access = "user" as "user" | "app" | "public" } = {},
  at: MastodonEmulator = server,
): Promise<SearchResult> {
  const { tree } = parseQuery(query);
  const session = plainSession(at, {
    access,
    ...(access === "user" ? { token } : {}),
    nowMs: endMs,
  });
  const names = {
    accounts: new Map(namesIn(tree).accounts.map((name) => [name, []])),
    posts: new Map(),
  };
  const result: NonNullable<SearchResult> = { posts: [], warnings: [], pages: 0 };
  let cursor: string | null = null;
  do {
    const call: SearchCall = { tree, names, fromMs, toMs, asOfMs: endMs, cursor, limit: 100 };
    const page: UpstreamPage | null | undefined = await search?.page(call, session);
    if (page === null || page === undefined) return null;
    result.posts.push(...page.items.flatMap((item) => (item.kind === "post" ? [item.post] : [])));
    result.warnings.push(...(page.warnings ?? []));
    result.pages += 1;
    cursor = page.next;
  } while (cursor !== null && result.pages < 60);
  return result;
}

function expectedPosts(query: string, toMs = endMs + 1): Post[] {
  const { tree } = parseQuery(query);
  const posts = [...server.network.statuses.values()].flatMap((status) => {
    const author = server.network.accounts.get(status.accountId);
    if (status.visibility !== "public" || author?.indexable !== true) return [];
    return rendered.get(status.id) ?? [];
  });
  const names = {
    accounts: new Map(namesIn(tree).accounts.map((name) => [name, []])),
    posts: new Map(),
  };
  return matchingPosts(posts, new Map(), {
    tree,
    names,
    asOfMs: endMs,
    fromMs: null,
    toMs,
    nowMs: endMs,
  });
}

const rendered = new Map<string, Post>();
beforeAll(async () => {
  const session = plainSession(server, { access: "user", token });
  for (const id of server.network.statuses.keys()) {
    const { json } = await session.get({ path: `/api/v1/statuses/${id}`, bucket: "" });
    const post = fetchedPost(json, server.host, endMs);
    if (post !== null) rendered.set(id, post);
  }
});

const listUris = (posts: readonly Post[] | undefined): string[] =>
  (posts ?? []).map(({ uri }) => uri);

function expectSuperset(result: SearchResult, query: string, toMs?: number): void {
  const foundUris = new Set(listUris(result?.posts));
  const missing = expectedPosts(query, toMs).filter(({ uri }) => !foundUris.has(uri));
  expect({ query, missing: missing.map(({ text }) => text) }).toEqual({ query, missing: [] });
}

it("a Mastodon search sends no further requests after a request has failed", async () => {
  const session = plainSession(server, { access: "user", token, nowMs: endMs });
  const failed = new Error("the server is busy");
  let pending = 0;
  let requests = 0;
  const failing: Session = {
    ...session,
    get: async (request) => {
      if (request.path !== "/api/v2/search") return await session.get(request);
      requests += 1;
      if (requests === 1) throw failed;
      pending += 1;
      return await session.get(request).finally(() => {
        pending -= 1;
      });
    },
  };
  const { tree } = parseQuery("comet OR moon OR orbit");
  const names = { accounts: new Map(), posts: new Map() };
  const call = { tree, names, fromMs: null, toMs: endMs, asOfMs: endMs, cursor: null, limit: 10 };
  await expect(search.page(call, failing)).rejects.toBe(failed);
  expect({ requests, pending }).toEqual({ requests: 3, pending: 0 });
});

describe("a user's server", () => {
  it("a search with a user's Mastodon token returns every matching post, newest first, without duplicates", async () => {
    for (const query of [
      "comet",
      "comet moon",
      '"comet moon"',
      "comet OR orbit",
      "#space",
      "#space OR #cats",
      "(#space OR comet) #art",
      "comet -moon",
      "comet -#space",
      "from:bob@far.example comet",
      "comet lang:de",
      "comet filter:media",
      "comet -filter:media",
      "comet filter:replies",
      "comet filter:safe",
      "@bob@far.example comet",
      "comet -(moon OR stars)",
    ]) {
      const result = await runSearch(query);
      expectSuperset(result, query);
      const times = result?.posts.map(({ createdMs }) => createdMs ?? 0) ?? [];
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(new Set(listUris(result?.posts)).size).toBe(result?.posts.length);
      expect(result?.warnings.map(({ code }) => code)).toContain("partial_search");
    }
  });

  it("a Mastodon search hides posts of authors who did not opt in, and those that are not public", async () => {
    const result = await runSearch("post");
    expect(result?.posts.length).toBeGreaterThan(60);
    expect(result?.posts.some(({ username }) => username.startsWith("shy"))).toBe(false);
    const uris = new Set(listUris(result?.posts));
    for (const [id, post] of rendered) {
      if (server.network.statuses.get(id)?.visibility !== "public")
        expect(uris).not.toContain(post.uri);
    }
  });

  it("a Mastodon search starts at the end of the window", async () => {
    const toMs = endMs - 9 * dayMs;
    for (const query of ["comet", "#space"]) {
      server.requests.length = 0;
      const result = await runSearch(query, { toMs });
      expectSuperset(result, query, toMs);
      const newest = result?.posts[0]?.createdMs ?? 0;
      expect(newest).toBeLessThan(toMs + 7_200_000);
    }
  });

  it.each(["109", "01HZX5Y9K3V4M8Q2W7T6R1N0PB", "9n2ciuz1wdesFnrGJU"])(
    "a Mastodon search does not request the account id %s, which the server would treat as a name",
    async (id) => {
      server.requests.length = 0;
      await runSearch(`comet from:${id}@far.example`);
      const requested = server.requests.filter(({ path }) => path === "/api/v2/search");
      const queries = new Set(requested.map(({ query }) => new URLSearchParams(query).get("q")));
      expect([...queries]).toEqual(["comet"]);
    },
  );

  it("a Mastodon search sends no request for a query that no Mastodon post can match", async () => {
    for (const query of [
      "comet platform:x",
      "geocode:1,2,3km",
      "filter:verified",
      "filter:nativeretweets",
    ]) {
      expect(await runSearch(query)).toBeNull();
    }
  });

  it("a Mastodon search without a search term requests nothing, and warns", async () => {
    const result = await runSearch("-comet");
    expect(result).toMatchObject({ posts: [], warnings: [{ code: "not_searched" }] });
  });
});

it("without a user's token, a Mastodon search requests only hashtag timelines", async () => {
  for (const access of ["public", "app"] as const) {
    server.requests.length = 0;
    const result = await runSearch("#space comet", { access });
    expectSuperset(result, "#space comet");
    expect(server.requests.some(({ path }) => path === "/api/v2/search")).toBe(false);
    server.requests.length = 0;
    expect(await runSearch("comet", { access })).toMatchObject({
      posts: [],
      warnings: [{ code: "not_searched", hint: expect.stringContaining("user token") }],
    });
    expect(server.requests).toEqual([]);
  }
});

it("without a credential, a Mastodon search requests no hashtag timeline that is for users only", async () => {
  const closed = await startMastodonEmulator({ hashtagFeeds: "authenticated" });
  const result = await runSearch("#space", { access: "public" }, closed);
  expect(result).toMatchObject({ posts: [], warnings: [{ code: "not_searched" }] });
  expect(closed.requests.map(({ path }) => path)).toEqual(["/api/v2/instance"]);
  await closed.close();
});

it("a search on compatible software or an old Mastodon server sends no operators, which would be treated as words", async () => {
  const savedToken = token;
  for (const version of ["2.7.2 (compatible; Pleroma 2.9.1)", "0.18.1+git-8a7f3b2", "4.1.9"]) {
    const other = await startMastodonEmulator({ version });
    const author = other.network.addAccount({ username: "ann" });
    other.network.addStatus({ accountId: author.id, text: "comet" });
    ({ token } = other.addToken({ accountId: author.id }));
    await runSearch("comet lang:de filter:media from:ann #space", {}, other);
    const [requested] = other.requests.filter(({ path }) => path === "/api/v2/search");
    expect(new URLSearchParams(requested?.query).get("q")).toBe("comet");
    await other.close();
  }
  token = savedToken;
});

it("a Mastodon search requests a superset of the matches for any query that Mastodon can answer", async () => {
  const leaf = fc.constantFrom(
    ...words,
    ...tags.map((tag) => `#${tag}`),
    '"comet moon"',
    "lang:de",
    "filter:media",
    "filter:replies",
    "filter:safe",
    "@bob",
    "min_faves:1",
    "?",
    "from:bob@far.example",
  );
  const { tree } = fc.letrec<{ tree: string }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      leaf.map((text) => `-${text}`),
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => `(${a} ${b})`),
      fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => `(${a} OR ${b})`),
      tie("tree").map((a) => `-(${a})`),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(tree, async (generated) => {
      const query = `${generated} -zzz`;
      const result = await runSearch(query);
      if (result?.warnings.some(({ code }) => code === "not_searched")) return;
      expectSuperset(result, query);
      const times = result?.posts.map(({ createdMs }) => createdMs ?? 0) ?? [];
      expect(times).toEqual(times.toSorted((a, b) => b - a));
    }),
    { numRuns: 25, seed: 7 },
  );
});
