import { inspect } from "node:util";
import { parseQuery } from "@earshot/query";
import fc from "fast-check";
import { Headers } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmulatedPost, EmulatedUser } from "../../../testkit/emulators/x/model.ts";
import { startXEmulator, type XEmulator } from "../../../testkit/emulators/x/server.ts";
import {
  appSession,
  clientId,
  dayMs,
  idAt,
  minuteMs,
  nowMs,
  postTarget,
  userSession,
  userTarget,
} from "../../../testkit/upstreams/x.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isSearch, methodNames, methods } from "../methods.ts";
import type { Session } from "../session.ts";
import type { PageCall, SearchCall, UpstreamItem, UpstreamPage } from "../upstream.ts";
import { UpstreamLimited } from "../upstream-limited.ts";
import { createXUpstream } from "./upstream.ts";

const ann: EmulatedUser = {
  id: "11",
  username: "ann",
  name: "Ann",
  verified: true,
  followers: ["12"],
};
const bob: EmulatedUser = { id: "12", username: "Bob", followers: ["11"] };
const suspended: EmulatedUser = { id: "13", username: "gone", isSuspended: true };
const shy: EmulatedUser = { id: "14", username: "shy", isProtected: true };

const post = (n: number, overrides: Partial<EmulatedPost> = {}): EmulatedPost => {
  const createdMs = overrides.createdMs ?? nowMs - n * minuteMs;
  return {
    id: idAt(createdMs, n),
    authorId: "11",
    text: `river ${n}`,
    lang: "en",
    ...overrides,
    createdMs,
  };
};

let x: XEmulator;
const upstream = createXUpstream({
  apiUrl: "https://api.x.com",
  trendsWoeid: 1,
  isRedistributionAgreed: false,
});

beforeEach(async () => {
  x = await startXEmulator({
    now: () => nowMs,
    clients: [{ id: clientId, secret: null, redirectUri: "http://127.0.0.1/" }],
    world: { users: [ann, bob, suspended, shy] },
  });
});
afterEach(() => x.close());

const request = (
  method: PageCall["method"],
  target: PageCall["target"],
  session: Session,
  overrides: Partial<PageCall> = {},
): Promise<UpstreamPage> =>
  upstream.page({ method, target, cursor: null, limit: 10, ...overrides }, session);

const search = (query: string, session: Session, overrides: Partial<SearchCall> = {}) => {
  const { tree } = parseQuery(query);
  const names = { accounts: new Map(), posts: new Map() };
  const call: SearchCall = {
    tree,
    names,
    fromMs: nowMs - dayMs,
    toMs: nowMs,
    asOfMs: nowMs,
    cursor: null,
    limit: 10,
    ...overrides,
  };
  return upstream.search?.page(call, session) ?? Promise.resolve(null);
};

const texts = (page: UpstreamPage | null): string[] =>
  (page?.items ?? []).map((item) => itemText(item));

function itemText(item: UpstreamItem): string {
  switch (item.kind) {
    case "post":
      return item.post.text;
    case "profile":
      return item.profile.username;
    case "trend":
      return item.trend.name;
    case "space":
      return item.space.title ?? "";
  }
}

describe("searching", () => {
  test("an X search has one route for recent search and one for the full archive", async () => {
    x.world.posts.push(
      post(1),
      post(2, { createdMs: nowMs - 30 * dayMs }),
      post(3, { text: "stone" }),
    );
    expect(texts(await search("river", appSession(x)))).toEqual(["river 1"]);
    expect(x.requests.at(-1)?.path).toBe("/2/tweets/search/recent");
    const fullArchive = { fromMs: null, route: "all" };
    expect(texts(await search("river", appSession(x), fullArchive))).toEqual([
      "river 1",
      "river 2",
    ]);
    expect(x.requests.at(-1)?.path).toBe("/2/tweets/search/all");
  });

  test("an X search with a user's token covers the last seven days, regardless of the window", async () => {
    x.world.posts.push(post(1), post(2, { createdMs: nowMs - 30 * dayMs }));
    const session = userSession(x, "12");
    const page = await search("river", session, { fromMs: null });
    expect(texts(page)).toEqual(["river 1"]);
    expect(page?.sinceMs).toBe(nowMs - 7 * dayMs);
    const oldWindow = { fromMs: nowMs - 40 * dayMs, toMs: nowMs - 20 * dayMs };
    expect(texts(await search("river", session, oldWindow))).toEqual([]);
  });

  test("an X search reads all pages to the last", async () => {
    x.world.posts.push(...Array.from({ length: 25 }, (_, n) => post(n + 1)));
    const session = appSession(x);
    const foundTexts: string[] = [];
    let cursor: string | null = null;
    do {
      const page: UpstreamPage | null = await search("river", session, { cursor });
      foundTexts.push(...texts(page));
      cursor = page?.next ?? null;
    } while (cursor !== null);
    expect(foundTexts).toEqual(Array.from({ length: 25 }, (_, n) => `river ${n + 1}`));
    expect(x.requests).toHaveLength(3);
  });

  test.each(["a".repeat(3_000), 7, ["b"]])(
    "a warning reports that an X page token cannot be sent back",
    async (token) => {
      x.world.posts.push(post(1));
      const session = appSession(x);
      const get: Session["get"] = async (request) => {
        const response = await session.get(request);
        return { ...response, json: { ...(response.json as object), meta: { next_token: token } } };
      };
      const page = await search("river", { ...session, get });
      expect(page).toMatchObject({
        next: null,
        warnings: [{ code: "page_token_unusable", isPartial: true }],
      });
    },
  );

  test("an X search requests as few posts as suffice, and bills those received", async () => {
    x.world.posts.push(...Array.from({ length: 25 }, (_, n) => post(n + 1)));
    const session = appSession(x);
    await search("river", session, { limit: 1 });
    expect(session.reservedBill).toEqual({ postReads: 10, userReads: 10, requests: 0 });
    expect(session.settledBill).toEqual({ postReads: 10, userReads: 1, requests: 0 });
    expect(x.billed).toEqual({ posts: 10, users: 1, requests: 0 });
  });

  test("an X search drops an operator that X rejects and requests the rest", async () => {
    x.world.posts.push(post(1), post(2, { metrics: { likes: 9 } }));
    x.faults.refusedOperators = ["min_likes"];
    expect(texts(await search("river min_faves:5", appSession(x)))).toEqual(["river 1", "river 2"]);
    expect(x.requests.map(({ query }) => query.query)).toEqual(["river min_likes:5", "river"]);
  });

  test.each([
    ["river filter:verified", "is:verified", "river"],
    ["river geocode:52.52,13.405,5km", "point_radius", "river"],
    ["river (filter:media OR filter:links)", "has:media", "river"],
  ])("an X search requests %s without %s if X rejects it", async (query, operator, rest) => {
    x.faults.refusedOperators = [operator];
    await search(query, appSession(x));
    expect(x.requests.at(-1)?.query.query).toBe(rest);
    expect(x.requests).toHaveLength(2);
  });

  test("an X search rejects a query that X cannot express, and suggests how to fix it", async () => {
    await expect(search("lang:en filter:media", appSession(x))).rejects.toMatchObject({
      code: "search_not_sayable",
      hint: expect.stringContaining("from:<username>"),
    });
    expect(x.requests).toEqual([]);
  });

  test("an X search sends no request for a query that no post on X can match", async () => {
    expect(await search("river platform:bluesky", appSession(x))).toBeNull();
    expect(x.requests).toEqual([]);
  });
});

describe("posts", () => {
  test("X returns a post by ID, and a deleted or invisible one is absent", async () => {
    const visiblePost = post(1);
    const hiddenPost = post(2, { authorId: "14" });
    x.world.posts.push(visiblePost, hiddenPost);
    const session = appSession(x);
    expect(texts(await request("getbyid", postTarget(visiblePost.id), session))).toEqual([
      "river 1",
    ]);
    expect(texts(await request("getbyid", postTarget(hiddenPost.id), session))).toEqual([]);
    expect(texts(await request("getbyid", postTarget("20"), session))).toEqual([]);
    expect(session.settledBill).toEqual({ postReads: 1, userReads: 1, requests: 0 });
  });

  test("all pages of an X account's posts are read, and the account's id is looked up only once", async () => {
    x.world.posts.push(
      ...Array.from({ length: 12 }, (_, n) => post(n + 1)),
      post(20, { authorId: "12" }),
    );
    const session = appSession(x);
    const first = await request("gettweets", userTarget({ handle: "ANN" }), session, { limit: 7 });
    expect(texts(first)).toHaveLength(7);
    const second = await request("gettweets", userTarget({ handle: "ANN" }), appSession(x), {
      cursor: first.next,
    });
    expect(texts(second)).toEqual(["river 8", "river 9", "river 10", "river 11", "river 12"]);
    expect(second.next).toBeNull();
    expect(x.requests.filter(({ path }) => path.includes("by/username"))).toHaveLength(1);
  });

  test("a repost on X has the original's content, from a separate lookup", async () => {
    const longText = "a long text ".repeat(30);
    const original = post(9, {
      authorId: "12",
      text: longText.slice(0, 275),
      noteText: longText,
      metrics: { likes: 4 },
    });
    x.world.posts.push(
      original,
      post(1, {
        text: `RT @Bob: ${longText.slice(0, 100)}…`,
        references: [{ type: "retweeted", id: original.id }],
      }),
      post(2, {
        text: "an answer",
        references: [{ type: "replied_to", id: original.id }],
        inReplyToUserId: "12",
      }),
    );
    const session = appSession(x);
    const page = await request("gettweets", userTarget({ id: "11" }), session);
    const [repost] = page.items;
    expect(repost).toMatchObject({
      kind: "post",
      post: {
        username: "ann",
        isRepost: true,
        text: longText,
        counts: { likes: 4 },
        reposted: {
          id: original.id,
          uri: `https://x.com/i/status/${original.id}`,
          username: "Bob",
          userId: "12",
        },
      },
    });
    expect(session.settledBill).toEqual({ postReads: 3, userReads: 2, requests: 0 });
    expect(x.billed).toEqual({ posts: 3, users: 2, requests: 0 });
  });

  test("a page from X is returned with a warning if its reposts' originals cannot be looked up", async () => {
    const original = post(9, { authorId: "12", text: "the whole of it" });
    x.world.posts.push(
      original,
      post(1, {
        text: "RT @Bob: the whole…",
        references: [{ type: "retweeted", id: original.id }],
      }),
      post(2),
    );
    const fullSession = appSession(x);
    const failingSession = (error: Error): Session => ({
      ...fullSession,
      get: async (request) => {
        if (request.bucket === "GET /2/tweets") throw error;
        return await fullSession.get(request);
      },
    });
    const limitError = new UpstreamLimited("api.x.com", nowMs);
    const budgetError = new EarshotError("budget_used_up", "the month's reads are used up");
    for (const error of [limitError, budgetError]) {
      const page = await request("gettweets", userTarget({ id: "11" }), failingSession(error));
      expect(texts(page)).toEqual(["RT @Bob: the whole…", "river 2"]);
      expect(page.warnings).toEqual([
        {
          code: "reposts_cut",
          message: expect.stringContaining(error.message),
          ...(error.hint === undefined ? {} : { hint: error.hint }),
        },
      ]);
    }
    const leaseError = new Error("the lease was lost");
    await expect(
      request("gettweets", userTarget({ id: "11" }), failingSession(leaseError)),
    ).rejects.toBe(leaseError);
  });

  test("replies on X are those in the conversation that a post started, or to a post within one", async () => {
    const root = post(9);
    const reply = post(8, {
      text: "one",
      conversationId: root.id,
      references: [{ type: "replied_to", id: root.id }],
    });
    const nestedReply = post(7, {
      text: "two",
      conversationId: root.id,
      references: [{ type: "replied_to", id: reply.id }],
    });
    x.world.posts.push(root, reply, nestedReply);
    expect(texts(await request("getreplies", postTarget(root.id), appSession(x)))).toEqual([
      "two",
      "one",
    ]);
    expect(texts(await request("getreplies", postTarget(reply.id), appSession(x)))).toEqual([
      "two",
    ]);
  });

  test("a page of replies on X reports how far back it reaches if the post is older", async () => {
    const oldPost = post(1, { createdMs: nowMs - 20 * dayMs });
    x.world.posts.push(oldPost, post(2, { references: [{ type: "replied_to", id: oldPost.id }] }));
    const page = await request("getreplies", postTarget(oldPost.id), userSession(x, "12"));
    expect(texts(page)).toEqual(["river 2"]);
    expect(page.sinceMs).toBe(nowMs - 7 * dayMs);
    const fullArchivePage = await request("getreplies", postTarget(oldPost.id), appSession(x), {
      route: "all",
    });
    expect(fullArchivePage).not.toHaveProperty("sinceMs");
  });

  test("media on X is searched with an application's token, and filtered from the timeline with a user's", async () => {
    const media = [
      { key: "3_1", type: "photo", url: "https://pbs.twimg.com/media/a.jpg", alt: "a heron" },
    ];
    x.world.posts.push(post(1, { media, text: "with" }), post(2, { text: "without" }));
    const session = appSession(x);
    expect(texts(await request("getmedia", userTarget({ handle: "ann" }), session))).toEqual([
      "with",
    ]);
    expect(session.settledBill.postReads).toBe(1);
    expect(
      texts(
        await request("getmedia", userTarget({ handle: "ann" }), userSession(x, "12"), {
          route: "timeline",
        }),
      ),
    ).toEqual(["with"]);
  });

  test("the home timeline on X is the credential's own", async () => {
    x.world.posts.push(
      post(1),
      post(2, { authorId: "12", text: "own" }),
      post(3, { authorId: "14" }),
    );
    expect(texts(await request("gethometweets", null, userSession(x, "12")))).toEqual([
      "river 1",
      "own",
    ]);
  });

  test("a user's timeline that X cuts off is partial, but the home timeline is not", async () => {
    x.world.users.splice(0, 1, { ...ann, otherPosts: 5_000 });
    x.world.posts.push(post(1));
    const session = userSession(x, "12");
    const timeline = await request("gettweets", userTarget({ handle: "ann" }), session);
    expect(timeline.warnings).toMatchObject([{ code: "timeline_cut", isPartial: true }]);
    const home = await request("gethometweets", null, session);
    expect(texts(home)).toEqual(["river 1"]);
    expect(home.warnings ?? []).toEqual([]);
  });

  test("posts that X withholds everywhere or for copyright are dropped", async () => {
    x.world.posts.push(
      post(1),
      post(2, { withheld: { copyright: true, country_codes: ["US"] } }),
      post(3, { withheld: { copyright: false, country_codes: ["XY"] } }),
    );
    expect(texts(await request("gettweets", userTarget({ id: "11" }), appSession(x)))).toEqual([
      "river 1",
    ]);
  });
});

describe("accounts, trends and Spaces", () => {
  test("X returns profiles by name and by id, and none for a deleted account", async () => {
    const session = appSession(x);
    const [profile] = (await request("searchbyprofile", userTarget({ handle: "ANN" }), session))
      .items;
    expect(profile).toMatchObject({
      profile: {
        userId: "11",
        username: "ann",
        name: "Ann",
        verified: true,
        counts: { followers: 1 },
      },
    });
    expect(texts(await request("getprofilebyid", userTarget({ id: "12" }), session))).toEqual([
      "Bob",
    ]);
    expect(texts(await request("getprofilebyid", userTarget({ id: "13" }), session))).toEqual([]);
    expect(
      texts(await request("searchbyprofile", userTarget({ handle: "no.one" }), session)),
    ).toEqual([]);
    expect(session.settledBill).toEqual({ postReads: 0, userReads: 2, requests: 0 });
  });

  test("X returns followers, follows and reposters, and a list continues on its next page", async () => {
    x.world.posts.push(
      post(9),
      post(1, { authorId: "12", references: [{ type: "retweeted", id: post(9).id }] }),
    );
    const session = appSession(x);
    expect(texts(await request("getfollowers", userTarget({ handle: "ann" }), session))).toEqual([
      "Bob",
    ]);
    expect(texts(await request("getfollowing", userTarget({ handle: "ann" }), session))).toEqual([
      "Bob",
    ]);
    expect(texts(await request("getretweeters", postTarget(post(9).id), session))).toEqual(["Bob"]);
    ann.followers = ["12", "14"];
    const first = await request("getfollowers", userTarget({ handle: "ann" }), session, {
      limit: 1,
    });
    const second = await request("getfollowers", userTarget({ handle: "ann" }), session, {
      limit: 1,
      cursor: first.next,
    });
    ann.followers = ["12"];
    expect([...texts(first), ...texts(second), second.next]).toEqual(["Bob", "shy", null]);
  });

  test("X trends keep their order and are billed per request", async () => {
    x.world.trends.push({ name: "#news", count: 9 }, { name: "heron", count: 0 });
    const session = appSession(x);
    const { items } = await request("gettrends", null, session);
    expect(items).toMatchObject([
      { trend: { rank: 1, name: "#news", posts: 9 } },
      { trend: { rank: 2, name: "heron" } },
    ]);
    expect(session.settledBill).toEqual({ postReads: 0, userReads: 0, requests: 1 });
  });

  test("X returns a Space while it exists", async () => {
    x.world.spaces.push({
      id: "1DXxyRYNejbKM",
      state: "live",
      title: "herons",
      host_ids: ["11"],
      participant_count: 3,
    });
    const space = (id: string) => ({ kind: "space", platform: "x", id }) as const;
    const { items } = await request("getspace", space("1DXxyRYNejbKM"), appSession(x));
    expect(items).toMatchObject([
      { space: { title: "herons", state: "live", hostIds: ["11"], participants: 3 } },
    ]);
    expect(texts(await request("getspace", space("1DXxyRYNejbKN"), appSession(x)))).toEqual([]);
  });

  test("a Space on X lists its hosts and speakers, who are billed as user reads", async () => {
    x.world.spaces.push({ id: "1DX", state: "live", host_ids: ["11"], speaker_ids: ["12"] });
    const session = appSession(x);
    const space = { kind: "space", platform: "x", id: "1DX" } as const;
    const { items } = await request("getspace", space, session);
    expect(items).toMatchObject([{ space: { hostIds: ["11"], speakerIds: ["12"] } }]);
    expect(session.settledBill).toEqual({ postReads: 1, userReads: 2, requests: 0 });
    expect(x.billed).toEqual({ posts: 1, users: 2, requests: 0 });
  });
});

describe("errors of X", () => {
  test("an error from X names the missing scopes", async () => {
    const session = userSession(x, "12", ["tweet.read", "users.read"]);
    await expect(request("getfollowers", userTarget({ id: "11" }), session)).rejects.toMatchObject({
      code: "credential_refused",
      status: 502,
      message: expect.stringContaining("follows.read"),
    });
    expect(session.settledBill.userReads).toBe(0);
  });

  test("an X application without a project is reported", async () => {
    x.faults.isClientForbidden = true;
    await expect(request("getbyid", postTarget("20"), appSession(x))).rejects.toMatchObject({
      code: "credential_refused",
      message: expect.stringContaining("attached to a Project"),
    });
  });

  test("tokens that X echoes are redacted in errors", async () => {
    x.faults.isEchoing = true;
    for (const session of [appSession(x), userSession(x, "12")]) {
      const error = await request("getbyid", postTarget("20"), session).catch((thrown) => thrown);
      expect(error).toMatchObject({
        code: "upstream_refused",
        message: expect.stringMatching(/cannot read Authorization: Bearer …$/),
      });
      const [, token = ""] = x.requests.at(-1)?.authorization?.split(" ") ?? [];
      expect(token.length).toBeGreaterThan(8);
      expect(inspect(error, { depth: 20 })).not.toContain(token);
    }
  });

  test.each(["{}", "null", "[]", '{"errors":[{"title":"Oops","type":"about:blank"}]}'])(
    "a 200 response from X with the body %s is rejected, and the request is not repeated",
    async (body) => {
      x.faults.body = body;
      const session = appSession(x);
      await expect(search("river", session)).rejects.toMatchObject({
        code: "answer_unreadable",
        retryable: false,
      });
      expect(x.requests).toHaveLength(1);
      // The cost is unknown, so the reservation remains.
      expect(session.reservedBill.postReads).toBeGreaterThan(0);
      expect(session.settledBill.postReads).toBe(0);
    },
  );

  test("the error for an X application without credit explains where to buy it", async () => {
    x.faults.hasNoCredit = true;
    await expect(request("getbyid", postTarget("20"), appSession(x))).rejects.toMatchObject({
      code: "upstream_limited",
      retryable: false,
      hint: expect.stringContaining("console.x.com"),
    });
  });

  test("posts in X's newer vocabulary are read", async () => {
    await x.close();
    x = await startXEmulator({
      naming: "post",
      now: () => nowMs,
      world: { users: [ann, bob], posts: [] },
    });
    const quoted = post(9, { authorId: "12" });
    x.world.posts.push(
      quoted,
      post(1, {
        metrics: { reposts: 7 },
        references: [{ type: "quoted", id: quoted.id }],
        noteText: "the whole",
      }),
    );
    const { items } = await request("gettweets", userTarget({ id: "11" }), appSession(x));
    expect(items).toMatchObject([
      {
        post: {
          text: "the whole",
          counts: { reposts: 7 },
          isQuote: true,
          quoted: { id: quoted.id },
        },
      },
    ]);
  });
});

test("any response from X becomes a page or an EarshotError", async () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const shapedBody = fc.record({
    data: fc.oneof(json, fc.array(json)),
    includes: json,
    meta: json,
  });
  const fetchMethodNames = methodNames.filter((name) => !isSearch(name)) as PageCall["method"][];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...fetchMethodNames),
      fc.oneof(json, shapedBody),
      fc.constantFrom(200, 200, 400, 402, 403, 404),
      async (method, body, status) => {
        const session: Session = {
          ...appSession(x),
          subjectId: "12",
          get: async () => ({ status, headers: new Headers(), json: body, settle: () => {} }),
        };
        const target =
          methods[method].query === "post"
            ? postTarget("20")
            : methods[method].query === "space"
              ? ({ kind: "space", platform: "x", id: "1DX" } as const)
              : userTarget({ id: "11" });
        const page = await request(method, target, session).catch((error: unknown) => error);
        if (page instanceof Error) expect(page).toBeInstanceOf(EarshotError);
        else expect(page).toMatchObject({ items: expect.any(Array) });
      },
    ),
    { numRuns: 300 },
  );
});

test("of posts fetched with shared X credentials, only IDs are shown unless X has agreed to more", () => {
  const agreedUpstream = createXUpstream({
    apiUrl: "https://api.x.com",
    trendsWoeid: 1,
    isRedistributionAgreed: true,
  });
  expect(
    ["account", "deployment", null].map((owner) => upstream.displayScope(owner as "account")),
  ).toEqual(["everything", "ids", "ids"]);
  expect(agreedUpstream.displayScope("deployment")).toBe("everything");
  expect(upstream.ownMethods).toEqual(["gettrends", "getspace"]);
  expect(agreedUpstream.ownMethods).toEqual([]);
});
