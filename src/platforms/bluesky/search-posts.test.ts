import { parseQuery } from "@earshot/query";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchCall, UpstreamItem } from "../upstream.ts";
import { fakeSession, labelView, now, postUri, postView } from "./fake-session.test-support.ts";
import { createBlueskyUpstream } from "./upstream.ts";

const settings = {
  appviewUrl: "https://appview.example",
  labelers: ["did:plc:ar7c4by46qjdydhdevvrndac"],
  usesPublicApi: true,
  isSearchEnabled: true,
  feed: "at://did:plc:feedfeedfeedfeedfeedfeed/app.bsky.feed.generator/mine",
};
const method = "app.bsky.feed.searchPosts";
const { search } = createBlueskyUpstream(settings);
if (search === null) throw new Error("no search");

const call = (query: string, overrides: Partial<SearchCall> = {}): SearchCall => ({
  tree: parseQuery(query).tree,
  names: { accounts: new Map([["ann.example", ["bluesky/did:plc:ann"]]]), posts: new Map() },
  fromMs: Date.parse("2026-11-20T00:00:00Z"),
  toMs: Date.parse("2026-11-21T00:00:00Z"),
  asOfMs: now,
  cursor: null,
  limit: 30,
  ...overrides,
});

const listUris = (items: readonly UpstreamItem[] | undefined) =>
  (items ?? []).map((item) => (item.kind === "post" ? item.post.uri : item.kind));

test("a Bluesky search requests the expressible part of a query within the window, newest first", async () => {
  const session = fakeSession({ [method]: { json: { posts: [postView("3kpost")] } } }, "user");
  const page = await search.page(call("cats from:ann.example -dogs lang:en"), session);
  expect(listUris(page?.items)).toEqual([postUri("3kpost")]);
  expect(page?.next).toBeNull();
  expect(session.requests.map(({ query }) => query)).toEqual([
    {
      q: "cats",
      sort: "latest",
      author: "did:plc:ann",
      lang: "en",
      since: "2026-11-20T00:00:00Z",
      until: "2026-11-21T00:00:00Z",
      limit: 30,
      mentions: undefined,
      domain: undefined,
      tag: undefined,
      cursor: undefined,
    },
  ]);
});

test("a Bluesky search requests each alternative and merges their pages without duplicates", async () => {
  const at = (key: string, minute: number) =>
    postView(key, {
      record: { text: key, createdAt: `2026-11-20T10:${minute}:00Z` },
      indexedAt: `2026-11-20T10:${minute}:01Z`,
    });
  const session = fakeSession(
    {
      [method]: ({ query }) => {
        if (query?.q === "cats" && query.cursor === undefined) {
          return { json: { posts: [at("3kc", 50), at("3kboth", 40)], cursor: "c2" } };
        }
        if (query?.q === "cats") return { json: { posts: [at("3kd", 20)] } };
        return { json: { posts: [at("3kboth", 40), at("3ke", 10)] } };
      },
    },
    "user",
  );
  const first = await search.page(call("cats OR dogs"), session);
  expect(listUris(first?.items)).toEqual([postUri("3kc"), postUri("3kboth")]);
  const second = await search.page(call("cats OR dogs", { cursor: first?.next ?? "" }), session);
  expect(listUris(second?.items)).toEqual([postUri("3kd"), postUri("3ke")]);
  expect(second?.next).toBeNull();
});

test("a Bluesky search omits withheld posts, and warns about unreadable ones", async () => {
  const posts = [
    postView("3ka", { labels: [labelView("!hide")] }),
    { uri: "at://x" },
    postView("3kb"),
  ];
  const session = fakeSession({ [method]: { json: { posts } } }, "user");
  const page = await search.page(call("cats"), session);
  expect(listUris(page?.items)).toEqual([postUri("3kb")]);
  expect(page?.warnings).toEqual([expect.objectContaining({ code: "unreadable_items" })]);
});

test("a Bluesky search reports how far back a page reaches, even when all posts are withheld", async () => {
  const at = (key: string, hour: number, more = {}) =>
    postView(key, {
      record: { text: key, createdAt: `2026-11-20T${hour}:00:00Z` },
      indexedAt: `2026-11-20T${hour}:00:01Z`,
      ...more,
    });
  const hidden = { labels: [labelView("!hide")] };
  const session = fakeSession(
    {
      [method]: ({ query }) =>
        query?.q === "cats"
          ? { json: { posts: [at("3kh", 18, hidden), at("3ki", 15, hidden)], cursor: "c2" } }
          : { json: { posts: [at("3kb", 16), at("3kc", 11)] } },
    },
    "user",
  );
  const alone = await search.page(call("cats"), session);
  expect(alone).toMatchObject({
    items: [],
    received: 2,
    oldestMs: Date.parse("2026-11-20T15:00:00Z"),
  });
  expect(alone?.next).not.toBeNull();
  // Posts older than this page about cats wait for its next page.
  const both = await search.page(call("cats OR dogs"), session);
  expect(listUris(both?.items)).toEqual([postUri("3kb")]);
  expect(both).toMatchObject({ received: 3, oldestMs: Date.parse("2026-11-20T15:00:00Z") });
});

test("a Bluesky search sends no request for a query that no post on Bluesky can match", async () => {
  const session = fakeSession({}, "user");
  expect(await search.page(call("cats geocode:52.5,13.4,10km"), session)).toBeNull();
  expect(await search.page(call("cats", { fromMs: now, toMs: now }), session)).toBeNull();
});

test("a Bluesky search warns instead of requesting everything for a query that it cannot express", async () => {
  const page = await search.page(call("-cats"), fakeSession({}, "user"));
  expect(page).toMatchObject({ items: [], next: null, warnings: [{ code: "search_not_sayable" }] });
});

test("a Bluesky search requests links by their exact host, with a warning about subdomains", async () => {
  const session = fakeSession({ [method]: { json: { posts: [] } } }, "user");
  const page = await search.page(call("domain:news.example"), session);
  expect(page?.warnings).toEqual([expect.objectContaining({ code: "search_narrowed" })]);
  expect(session.requests[0]?.query).toMatchObject({
    q: "domain:news.example",
    domain: "news.example",
  });
});

test.each([
  [403, "Forbidden", "Request forbidden by administrative rules."],
  [400, "InvalidRequest", "Search is temporarily disabled"],
])(
  "a disabled Bluesky search is a warning, not an error (%i %s)",
  async (status, error, message) => {
    const session = fakeSession({ [method]: { status, json: { error, message } } }, "user");
    const page = await search.page(call("cats"), session);
    expect(page).toMatchObject({
      items: [],
      next: null,
      warnings: [{ code: "search_unavailable" }],
    });
  },
);

test("any other rejection of a Bluesky search is an error", async () => {
  const refuse = (status: number, error: string) =>
    fakeSession({ [method]: { status, json: { error, message: "scope" } } }, "user");
  await expect(search.page(call("cats"), refuse(400, "BadQueryString"))).rejects.toMatchObject({
    code: "upstream_refused",
  });
  await expect(search.page(call("cats"), refuse(403, "ScopeMissingError"))).rejects.toMatchObject({
    code: "credential_refused",
  });
});

test("a Bluesky search rejects the cursor of another search", async () => {
  const session = fakeSession({}, "user");
  await expect(search.page(call("cats OR dogs", { cursor: "[1]" }), session)).rejects.toMatchObject(
    {
      code: "cursor_invalid",
    },
  );
});

test("a Bluesky search reads any JSON without an unexpected error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue(), async (posts, cursor) => {
      for (const json of [posts, { posts, cursor }, { posts: [posts, { post: posts }] }]) {
        const page = await search.page(
          call("cats OR dogs"),
          fakeSession({ [method]: { json } }, "user"),
        );
        expect(page?.items).toEqual([]);
      }
    }),
  );
});

test("a Bluesky search is available only if enabled, and not exhaustive", () => {
  expect(createBlueskyUpstream({ ...settings, isSearchEnabled: false }).search).toBeNull();
  expect(search.isExhaustive).toBe(false);
});
