import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizerPassword, cast } from "./accounts.ts";
import { authorizeApp } from "./browser.ts";
import { type AccountClient, createAccountClient, type MethodRequest } from "./client.ts";
import { differences, timesOutOfOrder } from "./compare.ts";
import { otherRareWord, rareWord } from "./draw-post.ts";
import { type Earshot, startEarshot } from "./earshot.ts";
import {
  type ApiRecord,
  type ExpectedRecord,
  expectedEntry,
  expectedProfile,
  uriRecordKey,
} from "./expected.ts";
import { inParallel } from "./in-parallel.ts";
import { type Account, type Post, reasons } from "./network-content.ts";
import { type Entry, isVisible } from "./truth.ts";
import { startWorld, type World } from "./world.ts";

/**
 * A full Bluesky network (PLC directory, PDS, AppView) on this machine, and Earshot over it: every field of its answers
 * is compared with what was written.
 */
const folder = mkdtempSync(join(tmpdir(), "earshot-methods-"));
const dayMs = 86_400_000;
let world: World;
let earshot: Earshot;
/** A client without a credential. */
let anonymous: AccountClient;
/** Clients that each have the credential of a network account. */
let reader: AccountClient;
let secondReader: AccountClient;
/** A client with an OAuth authorization instead of a password. */
let authorizer: AccountClient;

beforeAll(async () => {
  world = await startWorld();
  earshot = await startEarshot(join(folder, "data"), world.network, {
    EARSHOT_BLUESKY_FEED: world.feed.uri,
    EARSHOT_BLUESKY_SEARCH: "on",
  });
  const makeClient = (account: string): AccountClient =>
    createAccountClient(earshot.server.base, earshot.createKey(account));
  anonymous = makeClient("anonymous");
  reader = makeClient("reader");
  secondReader = makeClient("other");
  authorizer = makeClient("authorizer");
  await addCredential("reader", accountAt(cast.reader), "handle");
  await addCredential("other", accountAt(cast.secondReader), "did");
  await allowInBrowser("authorizer", accountAt(cast.authorizer));
}, 600_000);

afterAll(async () => {
  await earshot?.server.stop();
  await world?.network.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Authorizes `earshot credentials add bluesky oauth` in a browser. */
async function allowInBrowser(account: string, { did, handle }: Account): Promise<void> {
  const options = ["--account", account, "--identifier", handle];
  await earshot.converse(["add", "bluesky", "oauth", ...options], (output) => {
    const [authorizationUrl = ""] = /http:\S+oauth\/authorize\S+/.exec(output) ?? [];
    return authorizeApp(authorizationUrl, { did, handle, password: authorizerPassword });
  });
}

async function addCredential(
  account: string,
  { authorization, ...names }: Account,
  identifier: "handle" | "did",
): Promise<void> {
  const method = "com.atproto.server.createAppPassword";
  const { password } = await world.network.call<{ password: string }>(method, authorization, {
    name: "earshot",
  });
  const options = ["--account", account, "--identifier", names[identifier], "--secrets", "-"];
  earshot.credentials(["add", "bluesky", "app-password", ...options], `password=${password}\n`);
}

const accountAt = (index: number): Account => {
  const account = world.content.accounts[index];
  if (account === undefined) throw new Error(`there is no account ${index}`);
  return account;
};

const entries = (networkEntries: readonly Entry[]): ExpectedRecord[] =>
  networkEntries.map((entry) => expectedEntry(entry, world.truth));

const profiles = (accounts: readonly Account[], view: "whole" | "listed"): ExpectedRecord[] =>
  accounts.map((account) => expectedProfile(account, world.truth, world.network, view));

async function differencesFor<Subject>(
  subjects: readonly Subject[],
  request: (subject: Subject) => MethodRequest,
  expectedFor: (subject: Subject) => readonly ExpectedRecord[],
): Promise<readonly string[]> {
  const lines = await inParallel(subjects, async (subject) => {
    const found = await anonymous.fetchAll(request(subject));
    return differences(found, expectedFor(subject)).map(
      (line) => `${JSON.stringify(request(subject))}: ${line}`,
    );
  });
  return lines.flat().slice(0, 20);
}

/** Special, hidden, and some other accounts. */
const someAccounts = (): Account[] =>
  world.content.accounts.filter(
    ({ index, state }) => index < 16 || state !== "visible" || index % 8 === 0,
  );

/** The post with the most replies and reposts, hidden and deleted ones, and some others. */
function somePosts(): Post[] {
  const { posts } = world.content;
  const hidden = posts.filter((post) => !isVisible(post));
  return [
    ...posts.filter(({ author }) => author.index === cast.star).slice(0, 1),
    ...hidden.filter((_post, index) => index % 16 === 0),
    ...posts.filter((_post, index) => index % 150 === 0),
    ...posts.filter(({ author }) => author.index >= 20 && author.index < 26).slice(-12),
  ];
}

test("the test network is large enough", () => {
  const { accounts, posts } = world.content;
  expect(accounts.length).toBeGreaterThanOrEqual(200);
  expect(posts.filter(({ reason }) => reason !== "deleted").length).toBeGreaterThanOrEqual(5_000);
  expect(
    reasons.filter((reason) => !accounts.some((account) => account.reason === reason)),
  ).toEqual([]);
});

describe("accounts", () => {
  test("getprofilebyid returns an account by its DID, and nothing for a hidden one", async () => {
    const mismatches = await differencesFor(
      someAccounts(),
      ({ did }) => ({ method: "getprofilebyid", query: did, type: "social-api" }),
      (account) => (account.state === "visible" ? profiles([account], "whole") : []),
    );
    expect(mismatches).toEqual([]);
  });

  test("searchbyprofile returns an account by its handle and by the URL of its profile", async () => {
    const queries = [
      ({ handle }: Account) => handle,
      ({ handle }: Account) => `@${handle.toUpperCase()}`,
      ({ handle }: Account) => `https://bsky.app/profile/${handle}`,
      ({ did }: Account) => `https://bsky.app/profile/${did}`,
    ];
    for (const query of queries) {
      const mismatches = await differencesFor(
        someAccounts().slice(0, 30),
        (account) => ({ method: "searchbyprofile", query: query(account) }),
        (account) => (account.state === "visible" ? profiles([account], "whole") : []),
      );
      expect(mismatches).toEqual([]);
    }
  });

  test("an unused or former handle finds no account", async () => {
    for (const query of [
      "unused-handle.test",
      "person10.test",
      "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
    ]) {
      expect(await anonymous.fetchAll({ method: "searchbyprofile", query })).toEqual([]);
      expect(await anonymous.fetchAll({ method: "gettweets", query })).toEqual([]);
    }
  });

  test("getfollowers and getfollowing return each account once, across all pages", async () => {
    const star = accountAt(cast.star);
    expect(world.truth.followersOf(star).length).toBeGreaterThan(100);
    expect(world.truth.followedBy(star).length).toBeGreaterThan(100);
    const followers = await differencesFor(
      someAccounts(),
      ({ did }) => ({ method: "getfollowers", query: did }),
      (account) =>
        account.state === "visible" ? profiles(world.truth.followersOf(account), "listed") : [],
    );
    const followed = await differencesFor(
      someAccounts(),
      ({ handle }) => ({ method: "getfollowing", query: handle, maxResults: 37 }),
      (account) =>
        account.state === "visible" ? profiles(world.truth.followedBy(account), "listed") : [],
    );
    expect([...followers, ...followed]).toEqual([]);
  });
});

describe("posts of an account", () => {
  test("gettweets returns every post and repost once, across all pages", async () => {
    expect(world.truth.entriesOf(accountAt(cast.prolific)).length).toBeGreaterThan(300);
    const mismatches = await differencesFor(
      someAccounts(),
      ({ did }) => ({ method: "gettweets", query: did }),
      (account) => entries(world.truth.entriesOf(account)),
    );
    expect(mismatches).toEqual([]);
  });

  test.for([1, 7, 99])(
    "the pages of %i posts of an account are newest first, and neither repeat nor skip posts",
    async (maxResults) => {
      const account = accountAt(maxResults === 1 ? 7 : cast.prolific);
      const found = await anonymous.fetchAll({
        method: "gettweets",
        query: account.did,
        maxResults,
      });
      expect(differences(found, entries(world.truth.entriesOf(account)))).toEqual([]);
      expect(timesOutOfOrder(found)).toEqual([]);
    },
  );

  test("getmedia returns the posts with pictures", async () => {
    const mismatches = await differencesFor(
      someAccounts(),
      ({ did }) => ({ method: "getmedia", query: did }),
      (account) => entries(world.truth.mediaOf(account)),
    );
    expect(mismatches).toEqual([]);
    expect(world.truth.mediaOf(accountAt(cast.prolific)).length).toBeGreaterThan(20);
  });
});

describe("a single post", () => {
  test("getbyid returns a post by its uri, and nothing for a hidden or deleted one", async () => {
    const mismatches = await differencesFor(
      somePosts(),
      ({ uri }) => ({ method: "getbyid", query: uri, type: "social-api" }),
      (post) => (isVisible(post) ? entries([post]) : []),
    );
    expect(mismatches).toEqual([]);
  });

  test("getbyid accepts the URL of a post's page, with handle or DID", async () => {
    const postUrls = [
      ({ author, uri }: Post) =>
        `https://bsky.app/profile/${author.handle}/post/${uriRecordKey(uri)}`,
      ({ author, uri }: Post) => `https://bsky.app/profile/${author.did}/post/${uriRecordKey(uri)}`,
    ];
    for (const makeUrl of postUrls) {
      const mismatches = await differencesFor(
        somePosts().slice(0, 30),
        (post) => ({ method: "getbyid", query: makeUrl(post) }),
        (post) => (isVisible(post) ? entries([post]) : []),
      );
      expect(mismatches).toEqual([]);
    }
  });

  test("getreplies returns all replies below a post", async () => {
    const [first] = somePosts();
    expect(first === undefined ? 0 : world.truth.repliesTo(first).length).toBeGreaterThan(90);
    const mismatches = await differencesFor(
      somePosts(),
      ({ uri }) => ({ method: "getreplies", query: uri }),
      (post) => entries(world.truth.repliesTo(post)),
    );
    expect(mismatches).toEqual([]);
  });

  test("getretweeters returns everyone who reposted a post, across all pages", async () => {
    const [first] = somePosts();
    expect(first === undefined ? 0 : world.truth.repostersOf(first).length).toBeGreaterThan(100);
    const mismatches = await differencesFor(
      somePosts().filter(({ reason }) => reason !== "deleted"),
      ({ uri }) => ({ method: "getretweeters", query: uri }),
      (post) => profiles(world.truth.repostersOf(post), "listed"),
    );
    expect(mismatches).toEqual([]);
  });

  test("a post has the same ID in every method", async () => {
    const account = accountAt(cast.star);
    const listed = await anonymous.fetchAll({ method: "gettweets", query: account.did });
    const sample = listed.filter(({ Metadata }) => Metadata.is_retweet === false).slice(0, 12);
    const single = await inParallel(sample, ({ Metadata }) =>
      anonymous.fetchAll({ method: "getbyid", query: String(Metadata.uri) }),
    );
    const ids = (records: readonly ApiRecord[]): string[] => records.map(({ ID }) => ID);
    expect(ids(single.flat())).toEqual(ids(sample));
  });
});

describe("private reads of an account", () => {
  test("gethometweets returns posts and reposts of the followed accounts", async () => {
    for (const [client, index] of [
      [reader, cast.reader],
      [secondReader, cast.secondReader],
      [authorizer, cast.authorizer],
    ] as const) {
      const expectedEntries = world.truth.homeOf(accountAt(index));
      const found = await client.fetchAll({ method: "gethometweets", type: "social-credential" });
      expect(differences(found, entries(expectedEntries))).toEqual([]);
      expect(timesOutOfOrder(found)).toEqual([]);
    }
    expect(world.truth.homeOf(accountAt(cast.reader)).length).toBeGreaterThan(300);
  });

  test("getforyoutweets returns a feed in its own order, without hidden or deleted posts", async () => {
    const expectedPosts = world.feed.posts.filter(isVisible);
    expect(expectedPosts.length).toBeLessThan(world.feed.posts.length);
    const found = await reader.fetchAll({ method: "getforyoutweets", maxResults: 50 });
    expect(differences(found, entries(expectedPosts))).toEqual([]);
    expect(found.map(({ Metadata }) => Metadata.uri)).toEqual(expectedPosts.map(({ uri }) => uri));
  });

  test("private reads of an account without a credential are rejected with source_unavailable", async () => {
    for (const method of ["gethometweets", "getforyoutweets"]) {
      const { code, body } = await anonymous.submit({ method });
      expect({ code, body }).toMatchObject({ code: 422, body: { code: "source_unavailable" } });
    }
  });

  test("a home timeline is never visible to another account", async () => {
    const { status, next } = await reader.fetchPage({ method: "gethometweets", maxResults: 10 });
    expect(status).toMatchObject({ status: "done", sources: [{ via: "credential", count: 10 }] });
    expect((await anonymous.fetchResult(status.uuid)).code).toBe(404);
    expect((await secondReader.fetchResult(status.uuid)).code).toBe(404);
    const request = { method: "gethometweets", maxResults: 10 };
    expect((await secondReader.submit(request, next ?? "")).code).toBe(400);
    const { records } = await anonymous.fetchPage({
      method: "searchbyfullarchive",
      query: "-nosuchword",
    });
    expect(records).toEqual([]);
  });
});

describe("searches", () => {
  const hasWord = ({ text, pictures }: Post, word: string): boolean =>
    [text, ...pictures.map(({ alt }) => alt)].some((output) => output.split(/\s/).includes(word));
  const visiblePosts = (filter: (post: Post) => boolean): Post[] =>
    world.content.posts.filter((post) => isVisible(post) && filter(post));
  const rarePosts = (filter: (post: Post) => boolean): Post[] =>
    visiblePosts((post) => hasWord(post, rareWord) && filter(post));

  // This AppView's search matches letters and supports only `from:`; Earshot checks the rest.
  test.for<[string, () => Post[]]>([
    [rareWord, () => rarePosts(() => true)],
    [
      `${rareWord} OR ${otherRareWord}`,
      () => visiblePosts((post) => hasWord(post, rareWord) || hasWord(post, otherRareWord)),
    ],
    [`${rareWord} -river`, () => rarePosts((post) => !hasWord(post, "river"))],
    [`${rareWord} is:reply`, () => rarePosts(({ parent }) => parent !== null)],
    [`${rareWord} has:images`, () => rarePosts(({ pictures }) => pictures.length > 0)],
    [
      `${rareWord} from:person1.test`,
      () => rarePosts(({ author }) => author.index === cast.prolific),
    ],
  ])(
    "searchbyfullarchive of %s finds every match, newest first, and nothing else",
    async ([query, makeExpected]) => {
      const expectedPosts = makeExpected();
      expect(expectedPosts.length).toBeGreaterThan(1);
      const found = await reader.fetchAll({ method: "searchbyfullarchive", query });
      expect(differences(found, entries(expectedPosts))).toEqual([]);
      expect(timesOutOfOrder(found)).toEqual([]);
    },
  );

  test("a language filter matches the language a post declares, or the detected one", async () => {
    const query = `${rareWord} lang:ja`;
    const found = await reader.fetchAll({ method: "searchbyfullarchive", query });
    const isDeclared = ({ Metadata }: ApiRecord): boolean => Metadata.lang_detected === false;
    const expectedPosts = rarePosts(({ langs }) => langs.includes("ja"));
    expect(expectedPosts.length).toBeGreaterThan(1);
    expect(differences(found.filter(isDeclared), entries(expectedPosts))).toEqual([]);
    const detected = found.filter((record) => !isDeclared(record));
    expect(detected.map(({ Metadata }) => Metadata.lang)).toEqual(detected.map(() => "ja"));
    const undeclared = rarePosts(({ langs }) => langs.length === 0);
    const candidates = [...entries(expectedPosts), ...entries(undeclared)];
    expect(differences(found, candidates).filter((line) => !line.startsWith("missing"))).toEqual(
      [],
    );
  });

  test("searchbyquery finds posts from the last days and reports their source", async () => {
    const sinceMs = Date.now() - 6 * dayMs;
    const expectedPosts = rarePosts(({ createdMs }) => createdMs >= sinceMs);
    expect(expectedPosts.length).toBeGreaterThan(0);
    const startTime = new Date(sinceMs).toISOString();
    const request = { method: "searchbyquery", query: rareWord, startTime };
    const { records, status } = await reader.fetchPage(request);
    expect(differences(records, entries(expectedPosts))).toEqual([]);
    expect(status.sources).toContainEqual(
      expect.objectContaining({
        platform: "bluesky",
        via: "credential",
        count: expectedPosts.length,
      }),
    );
  });

  test("without a credential only the archive answers a search, and it is empty", async () => {
    const request = { method: "searchbyquery", query: rareWord };
    const { records, status } = await anonymous.fetchPage({
      ...request,
      type: "social-credential",
    });
    expect(records).toEqual([]);
    expect(status.warnings.map(({ code }) => code)).toContain("no_credential");
    expect((await anonymous.fetchPage(request)).records).toEqual([]);
  });
});

test("gettrends fails with an error that names the upstream, which has no trends in the test network", async () => {
  const { body } = await anonymous.submit({ method: "gettrends" });
  const { code, body: problem } = await anonymous.fetchResult(String(body.uuid));
  const { host } = new URL(world.network.appview);
  expect({ code, problem }).toMatchObject({ code: 502, problem: { code: "upstream_failed" } });
  expect(JSON.stringify(problem)).toContain(host);
});
