import fc from "fast-check";
import { expect, test } from "vitest";
import type { Post } from "../../posts/post.ts";
import { type FetchMethod, type Method, methodNames } from "../methods.ts";
import type { PageCall, UpstreamItem, UpstreamPage } from "../upstream.ts";
import { tidMs } from "./at-uri.ts";
import {
  ann,
  author,
  bob,
  fakeSession,
  labelView,
  now,
  postTarget,
  postUri,
  postView,
  userTarget,
} from "./fake-session.test-support.ts";
import { createBlueskyUpstream } from "./upstream.ts";

const feed = "at://did:plc:feedfeedfeedfeedfeedfeed/app.bsky.feed.generator/mine";
const settings = {
  appviewUrl: "https://appview.example",
  labelers: ["did:plc:ar7c4by46qjdydhdevvrndac"],
  usesPublicApi: true,
  isSearchEnabled: false,
  feed,
};
const upstream = createBlueskyUpstream(settings);

const call = (method: FetchMethod, target: PageCall["target"] = null): PageCall => ({
  method,
  target,
  cursor: null,
  limit: 50,
});

const listPosts = (items: readonly UpstreamItem[]): Post[] =>
  items.flatMap((item) => (item.kind === "post" ? [item.post] : []));
const listUris = (items: readonly UpstreamItem[]) => listPosts(items).map(({ uri }) => uri);

test("Bluesky returns a profile by handle or DID, with all its fields", async () => {
  const view = {
    ...author(),
    description: "Writes.\nMuch.",
    avatar: "https://cdn.bsky.app/img/avatar/plain/did/cid@jpeg",
    banner: "https://cdn.bsky.app/img/banner/plain/did/cid@jpeg",
    followersCount: 12,
    followsCount: 7,
    postsCount: 345,
    createdAt: "2023-05-01T00:00:00.000Z",
    indexedAt: "2024-05-01T00:00:00.000Z",
    verification: { verifications: [], verifiedStatus: "valid", trustedVerifierStatus: "none" },
    labels: [labelView("bot", { src: ann }), labelView("spam")],
  };
  const session = fakeSession({ "app.bsky.actor.getProfile": { json: view } });
  const page = await upstream.page(
    call("searchbyprofile", userTarget({ handle: "Ann.Example" })),
    session,
  );
  expect(page).toEqual({
    items: [
      {
        kind: "profile",
        profile: {
          platform: "bluesky",
          userId: ann,
          username: "ann.example",
          name: "Ann",
          description: "Writes.\nMuch.",
          url: `https://bsky.app/profile/${ann}`,
          avatarUrl: view.avatar,
          bannerUrl: view.banner,
          location: null,
          createdAt: "2023-05-01T00:00:00.000Z",
          verified: true,
          isProtected: false,
          isBot: true,
          labels: ["bot", "spam"],
          counts: { followers: 12, following: 7, posts: 345, listed: null },
        },
      },
    ],
    next: null,
  });
  await upstream.page(call("getprofilebyid", userTarget({ id: ann })), session);
  expect(session.requests.map(({ query }) => query?.actor)).toEqual(["ann.example", ann]);
});

test("Bluesky returns a post with every field of its record and the AppView's view", async () => {
  const parent = postUri("3kparent", bob);
  const view = postView("3kpost", {
    author: author(ann, { labels: [labelView("spam")], verification: { verifiedStatus: "none" } }),
    record: {
      $type: "app.bsky.feed.post",
      text: "hello @bob.example #news https://news.example/a",
      createdAt: "2026-11-20T10:00:00Z",
      langs: ["en", "de"],
      facets: [
        {
          index: { byteStart: 6, byteEnd: 18 },
          features: [{ $type: "app.bsky.richtext.facet#mention", did: bob }],
        },
        {
          index: { byteStart: 19, byteEnd: 24 },
          features: [{ $type: "app.bsky.richtext.facet#tag", tag: "news" }],
        },
      ],
      reply: { root: { uri: parent, cid: "c" }, parent: { uri: parent, cid: "c" } },
      embed: {
        $type: "app.bsky.embed.images",
        images: [{ alt: "a cat", image: { $type: "blob", ref: { $link: "bafkreicat" } } }],
      },
    },
    labels: [labelView("porn", { uri: postUri("3kpost") })],
  });
  const session = fakeSession({ "app.bsky.feed.getPosts": { json: { posts: [view] } } });
  const page = await upstream.page(
    call("getbyid", postTarget({ uri: postUri("3kpost") })),
    session,
  );
  expect(page).toEqual({
    items: [
      {
        kind: "post",
        post: {
          platform: "bluesky",
          uri: postUri("3kpost"),
          nativeId: null,
          url: null,
          username: "ann.example",
          userId: ann,
          authorName: "Ann",
          authorVerified: false,
          createdAt: "2026-11-20T10:00:00Z",
          createdMs: Date.parse("2026-11-20T10:00:00Z"),
          seenMs: Date.parse("2026-11-20T10:00:01.500Z"),
          text: "hello @bob.example #news https://news.example/a",
          langs: ["en", "de"],
          detectedLang: null,
          conversationId: parent,
          inReplyTo: { id: null, uri: parent, username: null, userId: bob },
          quoted: null,
          reposted: null,
          isReply: true,
          isQuote: false,
          isRepost: false,
          hashtags: ["news"],
          mentions: [{ username: "bob.example", userId: bob }],
          urls: ["https://news.example/a"],
          media: [
            {
              type: "image",
              url: `https://cdn.bsky.app/img/feed_fullsize/plain/${ann}/bafkreicat@jpeg`,
              alt: "a cat",
            },
          ],
          geo: null,
          labels: ["porn", "spam"],
          sensitive: true,
          source: null,
          counts: { likes: 3, reposts: 2, replies: 1, quotes: 0 },
          origin: "upstream",
          revision: "",
        },
      },
    ],
    next: null,
  });
  expect(session.requests).toEqual([
    {
      path: "/xrpc/app.bsky.feed.getPosts",
      query: { uris: [postUri("3kpost")] },
      headers: {
        accept: "application/json",
        "atproto-accept-labelers": "did:plc:ar7c4by46qjdydhdevvrndac;redact",
      },
      bucket: "xrpc",
    },
  ]);
});

test("the handle of a post's author is resolved", async () => {
  const session = fakeSession({
    "com.atproto.identity.resolveHandle": { json: { did: ann } },
    "app.bsky.feed.getPosts": { json: { posts: [postView("3kpost")] } },
  });
  for (const target of [
    postTarget({ handle: "ann.example", key: "3kpost" }),
    postTarget({ uri: "at://ann.example/app.bsky.feed.post/3kpost" }),
  ]) {
    const page = await upstream.page(call("getbyid", target), session);
    expect(listUris(page.items)).toEqual([postUri("3kpost")]);
  }
  expect(session.requests[0]?.query).toEqual({ handle: "ann.example" });
  expect(session.requests[0]?.headers).toEqual({ accept: "application/json" });
});

test("a Bluesky repost is a post of the reposter, at the time of the repost", async () => {
  const reason = {
    $type: "app.bsky.feed.defs#reasonRepost",
    by: author(bob),
    uri: `at://${bob}/app.bsky.feed.repost/3krepost`,
    indexedAt: "2026-11-21T09:00:00.000Z",
  };
  const reply = { root: { uri: postUri("3kroot") }, parent: { uri: postUri("3kroot") } };
  const record = { text: "the original", createdAt: "2026-11-20T10:00:00Z", reply, langs: ["en"] };
  const view = { post: postView("3kpost", { record }), reason };
  const withoutUri = { post: postView("3kother"), reason: { ...reason, uri: undefined } };
  const session = fakeSession({
    "app.bsky.feed.getAuthorFeed": { json: { feed: [view, withoutUri], cursor: "next" } },
  });
  const page = await upstream.page(call("gettweets", userTarget({ id: bob })), session);
  expect(page.next).toBe("next");
  const [post, other] = listPosts(page.items);
  expect(post).toMatchObject({
    uri: reason.uri,
    userId: bob,
    username: "bob.example",
    authorName: "Bob",
    createdMs: Date.parse(reason.indexedAt),
    seenMs: Date.parse(reason.indexedAt),
    createdAt: reason.indexedAt,
    text: "the original",
    langs: ["en"],
    isRepost: true,
    isReply: false,
    inReplyTo: null,
    conversationId: null,
    reposted: { id: null, uri: postUri("3kpost"), username: "ann.example", userId: ann },
    counts: { likes: null, reposts: null, replies: null, quotes: null },
  });
  expect(other?.uri).toMatch(new RegExp(`^at://${bob}/app\\.bsky\\.feed\\.repost/[0-9a-f]{32}$`));
});

test("a pinned post appears once in a timeline, in its regular position", async () => {
  const pin = { post: postView("3kold"), reason: { $type: "app.bsky.feed.defs#reasonPin" } };
  const views = [pin, { post: postView("3knew") }, { post: postView("3kold") }];
  const session = fakeSession({ "app.bsky.feed.getAuthorFeed": { json: { feed: views } } });
  const page = await upstream.page(call("gettweets", userTarget({ id: ann })), session);
  expect(listUris(page.items)).toEqual([postUri("3knew"), postUri("3kold")]);
  expect(session.requests[0]?.query).toEqual({
    actor: ann,
    filter: "posts_with_replies",
    limit: 50,
    cursor: undefined,
  });
});

test.each<[FetchMethod, string, Record<string, unknown>]>([
  ["getmedia", "app.bsky.feed.getAuthorFeed", { actor: ann, filter: "posts_with_media" }],
  ["gethometweets", "app.bsky.feed.getTimeline", {}],
  ["getforyoutweets", "app.bsky.feed.getFeed", { feed }],
])("%s reads pages of Bluesky's %s", async (method, endpoint, query) => {
  const json = { feed: [{ post: postView("3kpost") }], cursor: "after" };
  const session = fakeSession({ [endpoint]: { json } }, "user");
  const requested = { ...call(method, userTarget({ id: ann })), cursor: "before", limit: 500 };
  const page = await upstream.page(requested, session);
  expect(listUris(page.items)).toEqual([postUri("3kpost")]);
  expect(page.next).toBe("after");
  expect(session.requests[0]?.query).toEqual({ ...query, cursor: "before", limit: 100 });
});

test.each<[FetchMethod, string, string]>([
  ["getfollowing", "app.bsky.graph.getFollows", "follows"],
  ["getfollowers", "app.bsky.graph.getFollowers", "followers"],
  ["getretweeters", "app.bsky.feed.getRepostedBy", "repostedBy"],
])("%s returns accounts on Bluesky", async (method, endpoint, field) => {
  const json = { subject: author(), [field]: [author(bob), author(bob)], cursor: "after" };
  const session = fakeSession({ [endpoint]: { json } });
  const target =
    method === "getretweeters" ? postTarget({ uri: postUri("3kpost") }) : userTarget({ id: ann });
  const page = await upstream.page(call(method, target), session);
  expect(page).toMatchObject({
    items: [{ kind: "profile", profile: { userId: bob, name: "Bob", counts: { posts: null } } }],
    next: "after",
  });
  expect(page.items).toHaveLength(1);
});

test("Bluesky replies are in thread order: each after its parent, oldest first", async () => {
  const at = (key: string, minute: number, replies: unknown[] = []) => ({
    $type: "app.bsky.feed.defs#threadViewPost",
    post: postView(key, {
      record: { text: key, createdAt: `2026-11-20T10:${minute}:00Z` },
      indexedAt: `2026-11-20T10:${minute}:01Z`,
    }),
    replies,
  });
  const hidden = at("3khidden", 11, [at("3kbelow", 12)]);
  Object.assign(hidden.post, { labels: [labelView("!takedown")] });
  const thread = at("3kroot", 10, [
    at("3klate", 40),
    { $type: "app.bsky.feed.defs#blockedPost", uri: postUri("3kb"), blocked: true, author: {} },
    { $type: "app.bsky.feed.defs#notFoundPost", uri: postUri("3kn"), notFound: true },
    at("3kearly", 20, [at("3kanswer", 50)]),
    hidden,
    "no view",
  ]);
  const session = fakeSession({ "app.bsky.feed.getPostThread": { json: { thread } } });
  const page = await upstream.page(
    call("getreplies", postTarget({ uri: postUri("3kroot") })),
    session,
  );
  expect(listUris(page.items)).toEqual(
    ["3kbelow", "3kearly", "3kanswer", "3klate"].map((key) => postUri(key)),
  );
  expect(page.next).toBeNull();
  expect(page.warnings).toEqual([
    expect.objectContaining({
      code: "unreadable_items",
      message: expect.stringContaining("1 item from"),
    }),
  ]);
});

test("Bluesky trends are in order of rank", async () => {
  const trends = [
    {
      topic: "nasa",
      displayName: "NASA launch",
      link: "/profile/trending.bsky.app/feed/1",
      startedAt: "2026-11-21T08:00:00.000Z",
      postCount: 4_200,
      category: "science",
      status: "hot",
      actors: [],
    },
    { topic: "cats", displayName: "", link: "//evil.example", postCount: -1 },
  ];
  const session = fakeSession({ "app.bsky.unspecced.getTrends": { json: { trends } } });
  const page = await upstream.page(call("gettrends"), session);
  expect(page.items).toEqual([
    {
      kind: "trend",
      trend: {
        platform: "bluesky",
        rank: 1,
        name: "NASA launch",
        url: "https://bsky.app/profile/trending.bsky.app/feed/1",
        posts: 4_200,
        category: "science",
        startedAt: "2026-11-21T08:00:00.000Z",
      },
    },
    {
      kind: "trend",
      trend: {
        platform: "bluesky",
        rank: 2,
        name: "cats",
        url: null,
        posts: null,
        category: null,
        startedAt: null,
      },
    },
  ]);
  expect(session.requests[0]?.query).toEqual({ limit: 25 });
});

test.each([
  ["a taken-down post", postView("3kpost", { labels: [labelView("!takedown")] })],
  ["a hidden post", postView("3kpost", { labels: [labelView("!hide")] })],
  [
    "a post by a suspended account",
    postView("3kpost", { author: author(ann, { labels: [labelView("!suspend")] }) }),
  ],
  [
    "a post by an account that opts out of unauthenticated readers",
    postView("3kpost", {
      author: author(ann, { labels: [labelView("!no-unauthenticated", { src: ann })] }),
    }),
  ],
])("%s is omitted without a warning, even with a credential", async (_what, view) => {
  const responses = { "app.bsky.feed.getPosts": { json: { posts: [view] } } };
  for (const access of ["public", "user"] as const) {
    const target = postTarget({ uri: postUri("3kpost") });
    const page = await upstream.page(call("getbyid", target), fakeSession(responses, access));
    expect(page).toMatchObject({ items: [], next: null, received: 1 });
    expect(page.warnings).toBeUndefined();
  }
});

test("a negated or expired label does not hide a post", async () => {
  const labels = [
    labelView("!hide"),
    labelView("!hide", { neg: true }),
    labelView("!takedown", { exp: "2026-11-21T11:59:59Z" }),
  ];
  const responses = {
    "app.bsky.feed.getPosts": { json: { posts: [postView("3kpost", { labels })] } },
  };
  const target = postTarget({ uri: postUri("3kpost") });
  const page = await upstream.page(call("getbyid", target), fakeSession(responses));
  expect(listPosts(page.items)[0]?.labels).toEqual([]);
});

test.each([
  ["searchbyprofile", "app.bsky.actor.getProfile", "InvalidRequest", "Profile not found"],
  ["searchbyprofile", "app.bsky.actor.getProfile", "AccountTakedown", "Account has been suspended"],
  ["gettweets", "app.bsky.feed.getAuthorFeed", "BlockedByActor", "Requester is blocked by actor"],
  ["getfollowers", "app.bsky.graph.getFollowers", "InvalidRequest", "Actor not found: did:plc:a"],
  ["getreplies", "app.bsky.feed.getPostThread", "NotFound", "Post not found: at://x"],
] as const)(
  "%s for a missing subject returns an empty page (%s, %s)",
  async (method, endpoint, error, message) => {
    const session = fakeSession({ [endpoint]: { status: 400, json: { error, message } } });
    const target =
      method === "getreplies" ? postTarget({ uri: postUri("3kpost") }) : userTarget({ id: ann });
    expect(await upstream.page(call(method, target), session)).toMatchObject({
      items: [],
      next: null,
    });
  },
);

test("items that are not posts, or claim to be by another account, are counted as unreadable", async () => {
  const posts = [
    postView("3kforeign", { author: author(bob) }),
    postView("3kbare", { record: "text" }),
    postView("3klist", { uri: `at://${ann}/app.bsky.graph.list/3klist` }),
    postView("3kpost"),
  ];
  const session = fakeSession({ "app.bsky.feed.getPosts": { json: { posts } } });
  const page = await upstream.page(
    call("getbyid", postTarget({ uri: postUri("3kpost") })),
    session,
  );
  expect(listUris(page.items)).toEqual([postUri("3kpost")]);
  expect(page.warnings).toEqual([
    expect.objectContaining({
      code: "unreadable_items",
      message: expect.stringContaining("3 items from"),
    }),
  ]);
});

test("an index time in the far future is replaced by the time in the record key", async () => {
  const views = [
    postView("3n2udptqgl22y", { indexedAt: "2999-01-01T00:00:00Z" }),
    postView("not-a-tid", { indexedAt: 7 }),
    postView("jzzzzzzzzzzzz", { indexedAt: null }),
  ];
  const session = fakeSession({ "app.bsky.feed.getPosts": { json: { posts: views } } });
  const page = await upstream.page(
    call("getbyid", postTarget({ uri: postUri("3kpost") })),
    session,
  );
  expect(listPosts(page.items).map(({ seenMs }) => seenMs)).toEqual([
    tidMs("3n2udptqgl22y"),
    null,
    null,
  ]);
});

test("a withheld account's follows are not shown", async () => {
  const subject = author(ann, { labels: [labelView("!no-unauthenticated", { src: ann })] });
  const json = { subject, follows: [author(bob)], cursor: "after" };
  const session = fakeSession({ "app.bsky.graph.getFollows": { json } });
  expect(await upstream.page(call("getfollowing", userTarget({ id: ann })), session)).toEqual({
    items: [],
    next: null,
    isAbsent: true,
  });
});

const absent = { items: [], next: null, isAbsent: true };

test("a name that cannot exist on Bluesky is not requested", async () => {
  const session = fakeSession({});
  for (const target of [null, userTarget({ handle: "no dots" }), userTarget({ id: "42" })]) {
    expect(await upstream.page(call("gettweets", target), session)).toEqual(absent);
  }
  for (const target of [
    postTarget({}),
    postTarget({ uri: "at://x" }),
    postTarget({ handle: "ann.example", key: "a b" }),
  ]) {
    expect(await upstream.page(call("getbyid", target), session)).toEqual(absent);
  }
});

test("any other error response of Bluesky is reported with possible secrets redacted", async () => {
  const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJkaWQ6cGxjOmFhYSJ9.c2lnbmF0dXJlc2lnbmF0dXJl";
  const json = { error: "UnknownFeed", message: `no feed \u001b[31m for ${token}` };
  const session = fakeSession({ "app.bsky.feed.getFeed": { status: 400, json } }, "user");
  await expect(upstream.page(call("getforyoutweets"), session)).rejects.toMatchObject({
    code: "upstream_refused",
    status: 502,
    message: "appview.example returned 400 (UnknownFeed: no feed [31m for …)",
  });
});

test("the error names the permission that a credential lacks", async () => {
  const json = {
    error: "ScopeMissingError",
    message: 'Missing required scope "rpc:app.bsky.feed.getTimeline"',
  };
  const session = fakeSession({ "app.bsky.feed.getTimeline": { status: 403, json } }, "user");
  await expect(upstream.page(call("gethometweets"), session)).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining("rpc:app.bsky.feed.getTimeline"),
  });
});

test("a request with a credential asks the PDS to proxy only to Bluesky's own AppView", async () => {
  const responses = { "app.bsky.feed.getTimeline": { json: { feed: [] } } };
  const own = createBlueskyUpstream({ ...settings, appviewUrl: "https://public.api.bsky.app" });
  const session = fakeSession(responses, "user");
  await own.page(call("gethometweets"), session);
  await upstream.page(call("gethometweets"), session);
  expect(session.requests.map(({ headers }) => headers?.["atproto-proxy"])).toEqual([
    "did:web:api.bsky.app#bsky_appview",
    undefined,
  ]);
});

test("every method has an endpoint on Bluesky or names the closest one, and private data requires a credential", () => {
  for (const method of methodNames) {
    const support = upstream.support[method];
    expect(support.access.length === 0 ? "closest" in support : "endpoint" in support).toBe(true);
  }
  const own: readonly Method[] = ["gethometweets", "getforyoutweets"];
  for (const method of own) expect(upstream.support[method].access).toEqual(["user"]);
  expect(upstream.publicBaseUrl).toBe("https://appview.example");
  expect(createBlueskyUpstream({ ...settings, usesPublicApi: false }).publicBaseUrl).toBeNull();
});

const methods = methodNames.filter(
  (method): method is FetchMethod => method !== "searchbyquery" && method !== "searchbyfullarchive",
);

const validJson = {
  ...author(),
  posts: [postView("3kpost")],
  feed: [
    {
      post: postView("3kpost"),
      reason: {
        $type: "app.bsky.feed.defs#reasonRepost",
        by: author(bob),
        indexedAt: "2026-11-21T09:00:00.000Z",
      },
    },
  ],
  thread: { post: postView("3kroot"), replies: [{ post: postView("3kreply"), replies: [] }] },
  trends: [{ topic: "a", displayName: "b", link: "/c", postCount: 1 }],
  follows: [author(bob)],
  followers: [author(bob)],
  repostedBy: [author(bob)],
  cursor: "after",
};

function readPaths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, part]) => readPaths(part, [...path, key]))];
}

function withPart(value: unknown, [key, ...rest]: readonly string[], part: unknown): unknown {
  if (key === undefined) return part;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? withPart(item, rest, part) : item));
  return {
    ...(value as object),
    [key]: withPart((value as Record<string, unknown>)[key], rest, part),
  };
}

/** A missing list is reported as an error, unlike an empty one. */
function emptyIfUnreadable(error: unknown): UpstreamPage {
  expect(error).toMatchObject({ code: "answer_unreadable" });
  return { items: [], next: null };
}

test("any JSON from Bluesky is either read within bounds or reported as unreadable", async () => {
  const paths = readPaths(validJson);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...methods),
      fc.constantFrom(...paths),
      fc.jsonValue({ maxDepth: 4 }),
      async (method, path, part) => {
        const json = withPart(validJson, path, part);
        const session = fakeSession(
          new Proxy({}, { get: () => ({ json }) }) as Record<string, { json: unknown }>,
        );
        const { query } = { query: ["getbyid", "getreplies", "getretweeters"].includes(method) };
        const target = query ? postTarget({ uri: postUri("3kpost") }) : userTarget({ id: ann });
        const page = await upstream.page(call(method, target), session).catch(emptyIfUnreadable);
        expect(page.items.length).toBeLessThanOrEqual(100);
        for (const post of listPosts(page.items)) {
          expect(post.uri.startsWith("at://did:")).toBe(true);
          expect(post.seenMs ?? 0).toBeLessThanOrEqual(now + 86_400_000);
          expect(post.text.length).toBeLessThanOrEqual(10_000);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

const node = (key: string, replies?: unknown[]) => ({
  post: postView(key, { replyCount: replies?.length ?? 1 }),
  replies,
});

test("a thread of any depth or width is read within bounds", async () => {
  let deep: unknown = node("3kend", []);
  for (let level = 0; level < 3_000; level += 1) deep = node(`3k${level}`, [deep]);
  const wide = node(
    "3kroot",
    Array.from({ length: 6_000 }, (_, index) => node(`3k${index}`, [])),
  );
  for (const [thread, count] of [
    [deep, 3_000],
    [wide, 2_000],
  ] as const) {
    const session = fakeSession({ "app.bsky.feed.getPostThread": { json: { thread } } });
    const target = postTarget({ uri: postUri("3kroot") });
    const page = await upstream.page(call("getreplies", target), session);
    expect(page.items).toHaveLength(count);
  }
});

test("branches deeper than one response are requested separately, up to a maximum number", async () => {
  const session = fakeSession({
    "app.bsky.feed.getPostThread": ({ query }) => {
      const level = Number(/(\d+)$/.exec(String(query?.uri))?.[1]);
      return { json: { thread: node(`3k${level}`, [node(`3k${level + 1}`)]) } };
    },
  });
  const page = await upstream.page(
    call("getreplies", postTarget({ uri: postUri("3k0") })),
    session,
  );
  expect(listUris(page.items)).toEqual(
    Array.from({ length: 21 }, (_, index) => postUri(`3k${index + 1}`)),
  );
  expect(session.requests).toHaveLength(21);
  expect(page.warnings).toEqual([expect.objectContaining({ code: "thread_cut" })]);
});
