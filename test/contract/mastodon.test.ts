import { randomBytes } from "node:crypto";
import { parseQuery } from "@earshot/query";
import { describe, expect, test } from "vitest";
import { createGuard } from "../../src/lib/guard.ts";
import { createGuardedFetch } from "../../src/lib/guarded-fetch.ts";
import type { CredentialTools } from "../../src/platforms/credential.ts";
import { createMastodonUpstream } from "../../src/platforms/mastodon/upstream.ts";
import { mastodonUserTokenKind } from "../../src/platforms/mastodon/user-token.ts";
import type { FetchMethod } from "../../src/platforms/methods.ts";
import { methods } from "../../src/platforms/methods.ts";
import { readTarget } from "../../src/platforms/read-target.ts";
import type { Session, UpstreamRequest } from "../../src/platforms/session.ts";
import type { UpstreamItem, UpstreamPage } from "../../src/platforms/upstream.ts";

/*
 * Checks our assumptions against a real Mastodon server. Run with
 *
 *     EARSHOT_CONTRACT_MASTODON=https://mastodon.social   the server to call
 *     EARSHOT_CONTRACT_MASTODON_ACCOUNT=@Mastodon         an account on it with posts, media, followers and boosts
 *     EARSHOT_CONTRACT_MASTODON_TOKEN=…                   a user token for it with the scope read, for the methods that require one
 */
const {
  EARSHOT_CONTRACT_MASTODON: instance = "",
  EARSHOT_CONTRACT_MASTODON_ACCOUNT: account = "",
  EARSHOT_CONTRACT_MASTODON_TOKEN: token = "",
} = process.env;

const isOpen = instance !== "" && account !== "";
const isSignedIn = isOpen && token !== "";
const openTitle = isOpen
  ? "what a Mastodon server shows to everyone"
  : "what a Mastodon server shows to everyone (skipped: EARSHOT_CONTRACT_MASTODON and EARSHOT_CONTRACT_MASTODON_ACCOUNT are not set)";
const signedInTitle = isSignedIn
  ? "what a Mastodon server shows to a user"
  : "what a Mastodon server shows to a user (skipped: EARSHOT_CONTRACT_MASTODON_TOKEN is not set)";

const fetch = createGuardedFetch({
  guard: createGuard(isOpen ? [instance] : []),
  userAgent: "earshot-contract-test/1",
  timeoutMs: 20_000,
  maxBytes: 8 * 1024 ** 2,
  maxRedirects: 0,
});
const tools: CredentialTools = { fetch, now: Date.now, randomBytes };
const upstream = createMastodonUpstream({ instance: isOpen ? instance : null });

function session(access: "user" | "public"): Session {
  async function send(url: URL, request: Omit<UpstreamRequest, "path">, bearer: string | null) {
    for (const [name, value] of Object.entries(request.query ?? {})) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (each !== undefined) url.searchParams.append(name, String(each));
      }
    }
    const authorization = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
    const headers = { accept: "application/json", ...authorization };
    const { status, headers: reported, text, json } = await fetch(url, { headers });
    return {
      status,
      headers: reported,
      json: text() === "" ? null : json(),
      settle: () => undefined,
    };
  }
  return {
    platform: "mastodon",
    access,
    owner: access === "user" ? "account" : null,
    credentialId: null,
    subjectId: null,
    baseUrl: instance,
    nowMs: Date.now(),
    get: ({ path, ...request }) =>
      send(new URL(path, instance), request, access === "user" ? token : null),
    getPublic: (url, request) => send(url, request, null),
  };
}

async function page(
  method: FetchMethod,
  query: string | null,
  access: "user" | "public" = "public",
  cursor: string | null = null,
): Promise<UpstreamPage> {
  const { query: kind } = methods[method];
  const isTarget = kind === "user" || kind === "post";
  const target = query === null || !isTarget ? null : readTarget(kind, query, "mastodon");
  return await upstream.page({ method, target, cursor, limit: 20 }, session(access));
}

const posts = (items: readonly UpstreamItem[]) =>
  items.flatMap((item) => (item.kind === "post" ? [item.post] : []));
const unreadable = ({ warnings = [] }: UpstreamPage) =>
  warnings.filter(({ code }) => code === "unreadable_items");

describe.skipIf(!isOpen)(openTitle, () => {
  test("a Mastodon server returns a profile by name and by id", async () => {
    const [byName] = (await page("searchbyprofile", account)).items;
    if (byName?.kind !== "profile") throw new Error("no such account");
    const { userId, username, counts, createdAt } = byName.profile;
    expect(username).toContain("@");
    expect(counts.posts).toBeGreaterThan(0);
    expect(Date.parse(createdAt ?? "")).toBeLessThan(Date.now());
    expect((await page("getprofilebyid", userId)).items).toMatchObject([
      { profile: { userId, username } },
    ]);
  });

  test("a Mastodon server returns two pages of posts, newest first, and one of them by its URL", async () => {
    const first = await page("gettweets", account);
    expect(unreadable(first)).toEqual([]);
    const second = await page("gettweets", account, "public", first.next);
    const all = [...posts(first.items), ...posts(second.items)];
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all.map(({ uri }) => uri)).size).toBe(all.length);
    const times = all.map(({ createdMs }) => createdMs ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const own = all.find(({ isRepost }) => !isRepost);
    const [again] = posts((await page("getbyid", own?.url ?? own?.uri ?? "")).items);
    expect(again).toMatchObject({ uri: own?.uri, text: own?.text });
  });

  test("a Mastodon server returns media, followers, boosters, replies and trends", async () => {
    const media = await page("getmedia", account);
    expect(posts(media.items).every((post) => post.media.length > 0)).toBe(true);
    const [popular] = posts((await page("gettweets", account)).items)
      .filter(({ isRepost }) => !isRepost)
      .toSorted((a, b) => (b.counts.reposts ?? 0) - (a.counts.reposts ?? 0));
    const address = popular?.url ?? popular?.uri ?? "";
    for (const [method, query] of [
      ["getfollowers", account],
      ["getfollowing", account],
      ["getretweeters", address],
      ["getreplies", address],
      ["gettrends", null],
    ] as const) {
      expect(unreadable(await page(method, query))).toEqual([]);
    }
  });

  test("a Mastodon server returns nothing for a missing subject", async () => {
    expect((await page("searchbyprofile", `@nobody-${Date.now()}`)).items).toEqual([]);
    expect((await page("getbyid", "1")).items).toEqual([]);
  });
});

describe.skipIf(!isSignedIn)(signedInTitle, () => {
  test("a Mastodon server reports the user of the token", async () => {
    const created = await mastodonUserTokenKind.make({ host: instance, token }, tools);
    expect(created.subjectName).toMatch(/^@.+@.+/);
  });

  test("a Mastodon server returns the home timeline", async () => {
    expect(unreadable(await page("gethometweets", null, "user"))).toEqual([]);
  });

  test("a Mastodon server returns search results, newest first", async () => {
    const nowMs = Date.now();
    const found = await upstream.search?.page(
      {
        tree: parseQuery("mastodon lang:de").tree,
        names: { accounts: new Map(), posts: new Map() },
        fromMs: null,
        toMs: nowMs,
        asOfMs: nowMs,
        cursor: null,
        limit: 20,
      },
      session("user"),
    );
    const times = posts(found?.items ?? []).map(({ createdMs }) => createdMs ?? 0);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });
});
