import { randomBytes } from "node:crypto";
import { resolveTxt } from "node:dns/promises";
import { describe, expect, test } from "vitest";
import { createGuard } from "../../src/lib/guard.ts";
import { createGuardedFetch } from "../../src/lib/guarded-fetch.ts";
import { blueskyCredentialKinds } from "../../src/platforms/bluesky/credential-kinds.ts";
import { createBlueskyUpstream } from "../../src/platforms/bluesky/upstream.ts";
import type { CredentialTools } from "../../src/platforms/credential.ts";
import type { FetchMethod } from "../../src/platforms/methods.ts";
import type { Session, UpstreamRequest } from "../../src/platforms/session.ts";
import type { Target } from "../../src/platforms/target.ts";
import type { UpstreamPage } from "../../src/platforms/upstream.ts";
import { asStored } from "../../testkit/upstreams/bluesky-credential.ts";

/*
 * Checks our assumptions against the real Bluesky. Run with
 *
 *     EARSHOT_CONTRACT_BLUESKY=bsky.app                   an account with posts, media, followers and reposts
 *     EARSHOT_CONTRACT_BLUESKY_IDENTIFIER=ann.bsky.social the account whose home timeline is read
 *     EARSHOT_CONTRACT_BLUESKY_PASSWORD=abcd-efgh-…       an app password of that account
 *     EARSHOT_CONTRACT_BLUESKY_APPVIEW, EARSHOT_CONTRACT_BLUESKY_PLC
 *                                                         their URLs, for a network other than Bluesky's
 */
const {
  EARSHOT_CONTRACT_BLUESKY: handle = "",
  EARSHOT_CONTRACT_BLUESKY_IDENTIFIER: identifier = "",
  EARSHOT_CONTRACT_BLUESKY_PASSWORD: password = "",
  EARSHOT_CONTRACT_BLUESKY_APPVIEW: appviewUrl = "https://public.api.bsky.app",
  EARSHOT_CONTRACT_BLUESKY_PLC: plcUrl = "https://plc.directory",
} = process.env;

const isOpen = handle !== "";
const isLoggedIn = identifier !== "" && password !== "";
const openTitle = isOpen
  ? "what Bluesky shows to everyone"
  : "what Bluesky shows to everyone (skipped: EARSHOT_CONTRACT_BLUESKY is not set)";
const loggedInTitle = isLoggedIn
  ? "what Bluesky shows to an account"
  : "what Bluesky shows to an account (skipped: EARSHOT_CONTRACT_BLUESKY_IDENTIFIER and EARSHOT_CONTRACT_BLUESKY_PASSWORD are not set)";

const fetch = createGuardedFetch({
  guard: createGuard([appviewUrl, plcUrl]),
  userAgent: "earshot-contract-test/1",
  timeoutMs: 20_000,
  maxBytes: 8 * 1024 ** 2,
  maxRedirects: 0,
});
const tools: CredentialTools = { fetch, now: Date.now, randomBytes };
const upstream = createBlueskyUpstream({
  appviewUrl,
  labelers: ["did:plc:ar7c4by46qjdydhdevvrndac"],
  usesPublicApi: true,
  isSearchEnabled: true,
  feed: "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.generator/whats-hot",
});

type Send = (url: URL, headers: Readonly<Record<string, string>>) => ReturnType<typeof fetch>;

function sessionAt(baseUrl: string, send: Send, access: Session["access"]): Session {
  const get = async (base: string, request: UpstreamRequest) => {
    const url = new URL(request.path, base);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      const values = Array.isArray(value) ? value : [value];
      for (const item of values)
        if (item !== undefined) url.searchParams.append(name, String(item));
    }
    const response = await send(url, request.headers ?? {});
    return {
      status: response.status,
      headers: response.headers,
      json: response.json(),
      settle: () => {},
    };
  };
  return {
    platform: "bluesky",
    access,
    owner: access === "user" ? "account" : null,
    credentialId: null,
    subjectId: null,
    baseUrl,
    nowMs: Date.now(),
    get: (request) => get(baseUrl, request),
    getPublic: (url, request) => get(url.origin, { ...request, path: url.pathname }),
  };
}

const open = sessionAt(appviewUrl, (url, headers) => fetch(url, { headers }), "public");

const page = async (
  session: Session,
  method: FetchMethod,
  target: Target | null,
  cursor: string | null = null,
): Promise<UpstreamPage> => await upstream.page({ method, target, cursor, limit: 30 }, session);

const user: Target = { kind: "user", platform: "bluesky", handle, id: null, host: null };

const makePost = (uri: string): Target => ({
  kind: "post",
  platform: "bluesky",
  uri,
  id: null,
  host: null,
  url: null,
  handle: null,
  key: null,
});

/** Expects items, none of them skipped as unreadable. */
function expectWhole({ items, warnings = [] }: UpstreamPage): void {
  expect(warnings).toEqual([]);
  expect(items.length).toBeGreaterThan(0);
}

describe.skipIf(!isOpen)(openTitle, () => {
  test("Bluesky returns a profile by handle and by DID", async () => {
    const byHandle = await page(open, "searchbyprofile", user);
    expectWhole(byHandle);
    const [item] = byHandle.items;
    if (item?.kind !== "profile") throw new Error("no profile");
    expect(item.profile.username).toBe(handle.toLowerCase());
    expect(item.profile.counts.followers).toBeGreaterThan(0);
    const id = item.profile.userId;
    const byDid = await page(open, "getprofilebyid", { ...user, handle: null, id });
    expect(byDid.items[0]).toMatchObject({ profile: { userId: id } });
  });

  test.each<FetchMethod>(["gettweets", "getmedia", "getfollowing", "getfollowers"])(
    "Bluesky returns %s, and its second page",
    async (method) => {
      const first = await page(open, method, user);
      expectWhole(first);
      if (first.next === null) return;
      const second = await page(open, method, user, first.next);
      const keys = new Set(first.items.map((item) => JSON.stringify(item, withoutCounts)));
      expect(second.items.some((item) => keys.has(JSON.stringify(item, withoutCounts)))).toBe(
        false,
      );
    },
  );

  test("Bluesky returns a post, its replies, and its reposters", async () => {
    const { items } = await page(open, "gettweets", user);
    const posts = items.flatMap((item) => (item.kind === "post" ? [item.post] : []));
    const max = posts
      .filter(({ isRepost }) => !isRepost)
      .toSorted((a, b) => (b.counts.replies ?? 0) - (a.counts.replies ?? 0))[0];
    if (max === undefined) throw new Error("the account has no posts of its own");
    const found = await page(open, "getbyid", makePost(max.uri));
    expect(found.items[0]).toMatchObject({ post: { uri: max.uri, text: max.text } });
    const replies = await page(open, "getreplies", makePost(max.uri));
    for (const item of replies.items) {
      expect(item).toMatchObject({ post: { isReply: true } });
    }
    await page(open, "getretweeters", makePost(max.uri));
  });

  test("Bluesky returns trends", async () => {
    expectWhole(await page(open, "gettrends", null));
  });

  test("Bluesky returns an empty page for a missing subject", async () => {
    const noOne = { ...user, handle: "nobody-bears-this-name.invalid" };
    for (const method of ["searchbyprofile", "gettweets", "getfollowers"] as const) {
      expect(await page(open, method, noOne)).toMatchObject({ items: [], next: null });
    }
    const uri = "at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3aaaaaaaaaa2a";
    for (const method of ["getbyid", "getreplies", "getretweeters"] as const) {
      expect(await page(open, method, makePost(uri))).toMatchObject({ items: [], next: null });
    }
  });
});

/** Counts may change between requests. */
const withoutCounts = (key: string, value: unknown): unknown => (key === "counts" ? null : value);

describe.skipIf(!isLoggedIn)(loggedInTitle, () => {
  test("Bluesky serves the timeline, the feed, and a search with one login", async () => {
    const kinds = blueskyCredentialKinds({ plcUrl, appviewUrl, resolveTxt });
    const kind = kinds.find(({ name }) => name === "app-password");
    if (kind === undefined) throw new Error("no such kind");
    const credential = asStored(await kind.make({ identifier, password }, tools));
    expect(await kind.test(credential, tools)).toContain("logged in");
    const send: Send = (url, headers) =>
      kind.send({ url, headers, signal: AbortSignal.timeout(20_000) }, credential, tools);
    const session = sessionAt(credential.credential.host, send, "user");
    for (const method of ["gethometweets", "getforyoutweets"] as const) {
      const { warnings = [] } = await page(session, method, null);
      expect(warnings).toEqual([]);
    }
    const found = await upstream.search?.page(
      {
        tree: { kind: "word", text: "bluesky", span: { offset: 0, length: 7 } },
        names: { accounts: new Map(), posts: new Map() },
        fromMs: null,
        toMs: Date.now(),
        asOfMs: Date.now(),
        cursor: null,
        limit: 30,
      },
      session,
    );
    const codes = (found?.warnings ?? []).map(({ code }) => code);
    expect(codes.filter((code) => code !== "search_unavailable")).toEqual([]);
    expect(credential.renewals()).toBe(0);
  });
});
