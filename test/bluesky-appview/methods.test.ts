import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allowerPassword, cast } from "./accounts.ts";
import { allowApp } from "./browser.ts";
import { type AccountClient, createAccountClient, type Requested } from "./client.ts";
import { differences, timesOutOfOrder } from "./compare.ts";
import { otherRareWord, rareWord } from "./draw-post.ts";
import { type Earshot, startEarshot } from "./earshot.ts";
import {
  type ApiRecord,
  type Expected,
  expectedEntry,
  expectedProfile,
  keyOf,
} from "./expected.ts";
import { inParallel } from "./in-parallel.ts";
import { type Account, type Post, reasons } from "./society.ts";
import { type Entry, isShown } from "./truth.ts";
import { startWorld, type World } from "./world.ts";

/**
 * A full Bluesky network (PLC directory, PDS, AppView) on this machine, and Earshot over it: every field of its answers
 * is compared with what was written.
 */
const folder = mkdtempSync(join(tmpdir(), "earshot-methods-"));
const dayMs = 86_400_000;
let world: World;
let earshot: Earshot;
/** Without a credential. */
let anyone: AccountClient;
/** Each with the credential of a network account. */
let reader: AccountClient;
let other: AccountClient;
/** With an OAuth authorization instead of a password. */
let allower: AccountClient;

beforeAll(async () => {
  world = await startWorld();
  earshot = await startEarshot(join(folder, "data"), world.network, {
    EARSHOT_BLUESKY_FEED: world.feed.uri,
    EARSHOT_BLUESKY_SEARCH: "on",
  });
  const clientOf = (account: string): AccountClient =>
    createAccountClient(earshot.server.base, earshot.createKey(account));
  anyone = clientOf("anyone");
  reader = clientOf("reader");
  other = clientOf("other");
  allower = clientOf("allower");
  await addCredential("reader", accountAt(cast.reader), "handle");
  await addCredential("other", accountAt(cast.other), "did");
  await allowInBrowser("allower", accountAt(cast.allower));
}, 600_000);

afterAll(async () => {
  await earshot?.server.stop();
  await world?.network.close();
  rmSync(folder, { recursive: true, force: true });
});

/** As for `earshot credentials add bluesky oauth`. */
async function allowInBrowser(account: string, { did, handle }: Account): Promise<void> {
  const given = ["--account", account, "--identifier", handle];
  await earshot.converse(["add", "bluesky", "oauth", ...given], (shown) => {
    const [address = ""] = /http:\S+oauth\/authorize\S+/.exec(shown) ?? [];
    return allowApp(address, { did, handle, password: allowerPassword });
  });
}

async function addCredential(
  account: string,
  { authorization, ...names }: Account,
  by: "handle" | "did",
): Promise<void> {
  const method = "com.atproto.server.createAppPassword";
  const { password } = await world.network.call<{ password: string }>(method, authorization, {
    name: "earshot",
  });
  const given = ["--account", account, "--identifier", names[by], "--secrets", "-"];
  earshot.credentials(["add", "bluesky", "app-password", ...given], `password=${password}\n`);
}

const accountAt = (index: number): Account => {
  const account = world.society.accounts[index];
  if (account === undefined) throw new Error(`there is no account ${index}`);
  return account;
};

const entries = (all: readonly Entry[]): Expected[] =>
  all.map((entry) => expectedEntry(entry, world.truth));

const profiles = (accounts: readonly Account[], how: "whole" | "listed"): Expected[] =>
  accounts.map((account) => expectedProfile(account, world.truth, world.network, how));

async function compared<About>(
  all: readonly About[],
  request: (about: About) => Requested,
  due: (about: About) => readonly Expected[],
): Promise<readonly string[]> {
  const reported = await inParallel(all, async (about) => {
    const found = await anyone.all(request(about));
    return differences(found, due(about)).map(
      (line) => `${JSON.stringify(request(about))}: ${line}`,
    );
  });
  return reported.flat().slice(0, 20);
}

/** Special, hidden, and some other accounts. */
const someAccounts = (): Account[] =>
  world.society.accounts.filter(
    ({ index, standing }) => index < 16 || standing !== "shown" || index % 8 === 0,
  );

/** The most replied and reposted post, hidden and deleted ones, and some others. */
function somePosts(): Post[] {
  const { posts } = world.society;
  const hidden = posts.filter((post) => !isShown(post));
  return [
    ...posts.filter(({ by }) => by.index === cast.star).slice(0, 1),
    ...hidden.filter((_post, index) => index % 16 === 0),
    ...posts.filter((_post, index) => index % 150 === 0),
    ...posts.filter(({ by }) => by.index >= 20 && by.index < 26).slice(-12),
  ];
}

test("the test network is large enough", () => {
  const { accounts, posts } = world.society;
  expect(accounts.length).toBeGreaterThanOrEqual(200);
  expect(posts.filter(({ why }) => why !== "deleted").length).toBeGreaterThanOrEqual(5_000);
  expect(reasons.filter((why) => !accounts.some((account) => account.why === why))).toEqual([]);
});

describe("accounts", () => {
  test("getprofilebyid returns an account by its DID, and nothing for a hidden one", async () => {
    const wrong = await compared(
      someAccounts(),
      ({ did }) => ({ method: "getprofilebyid", query: did, type: "social-api" }),
      (account) => (account.standing === "shown" ? profiles([account], "whole") : []),
    );
    expect(wrong).toEqual([]);
  });

  test("searchbyprofile returns an account by its handle and by the URL of its profile", async () => {
    const queries = [
      ({ handle }: Account) => handle,
      ({ handle }: Account) => `@${handle.toUpperCase()}`,
      ({ handle }: Account) => `https://bsky.app/profile/${handle}`,
      ({ did }: Account) => `https://bsky.app/profile/${did}`,
    ];
    for (const query of queries) {
      const wrong = await compared(
        someAccounts().slice(0, 30),
        (account) => ({ method: "searchbyprofile", query: query(account) }),
        (account) => (account.standing === "shown" ? profiles([account], "whole") : []),
      );
      expect(wrong).toEqual([]);
    }
  });

  test("an unused or former handle finds no account", async () => {
    for (const query of [
      "nobody-at-all.test",
      "person10.test",
      "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa",
    ]) {
      expect(await anyone.all({ method: "searchbyprofile", query })).toEqual([]);
      expect(await anyone.all({ method: "gettweets", query })).toEqual([]);
    }
  });

  test("getfollowers and getfollowing return each account once, to the last page", async () => {
    const star = accountAt(cast.star);
    expect(world.truth.followersOf(star).length).toBeGreaterThan(100);
    expect(world.truth.followedBy(star).length).toBeGreaterThan(100);
    const followers = await compared(
      someAccounts(),
      ({ did }) => ({ method: "getfollowers", query: did }),
      (account) =>
        account.standing === "shown" ? profiles(world.truth.followersOf(account), "listed") : [],
    );
    const followed = await compared(
      someAccounts(),
      ({ handle }) => ({ method: "getfollowing", query: handle, maxResults: 37 }),
      (account) =>
        account.standing === "shown" ? profiles(world.truth.followedBy(account), "listed") : [],
    );
    expect([...followers, ...followed]).toEqual([]);
  });
});

describe("posts of an account", () => {
  test("gettweets returns every post and repost once, newest first, to the last page", async () => {
    expect(world.truth.entriesOf(accountAt(cast.prolific)).length).toBeGreaterThan(300);
    const wrong = await compared(
      someAccounts(),
      ({ did }) => ({ method: "gettweets", query: did }),
      (account) => entries(world.truth.entriesOf(account)),
    );
    expect(wrong).toEqual([]);
  });

  test.for([1, 7, 99])(
    "the pages of %i posts of an account neither repeat nor skip posts",
    async (maxResults) => {
      const account = accountAt(maxResults === 1 ? 7 : cast.prolific);
      const found = await anyone.all({ method: "gettweets", query: account.did, maxResults });
      expect(differences(found, entries(world.truth.entriesOf(account)))).toEqual([]);
      expect(timesOutOfOrder(found)).toEqual([]);
    },
  );

  test("getmedia returns the posts with pictures", async () => {
    const wrong = await compared(
      someAccounts(),
      ({ did }) => ({ method: "getmedia", query: did }),
      (account) => entries(world.truth.mediaOf(account)),
    );
    expect(wrong).toEqual([]);
    expect(world.truth.mediaOf(accountAt(cast.prolific)).length).toBeGreaterThan(20);
  });
});

describe("a single post", () => {
  test("getbyid returns a post by its uri, and nothing for a hidden or deleted one", async () => {
    const wrong = await compared(
      somePosts(),
      ({ uri }) => ({ method: "getbyid", query: uri, type: "social-api" }),
      (post) => (isShown(post) ? entries([post]) : []),
    );
    expect(wrong).toEqual([]);
  });

  test("getbyid accepts the URL of a post's page, with handle or DID", async () => {
    const addresses = [
      ({ by, uri }: Post) => `https://bsky.app/profile/${by.handle}/post/${keyOf(uri)}`,
      ({ by, uri }: Post) => `https://bsky.app/profile/${by.did}/post/${keyOf(uri)}`,
    ];
    for (const address of addresses) {
      const wrong = await compared(
        somePosts().slice(0, 30),
        (post) => ({ method: "getbyid", query: address(post) }),
        (post) => (isShown(post) ? entries([post]) : []),
      );
      expect(wrong).toEqual([]);
    }
  });

  test("getreplies returns all replies below a post", async () => {
    const [first] = somePosts();
    expect(first === undefined ? 0 : world.truth.repliesTo(first).length).toBeGreaterThan(90);
    const wrong = await compared(
      somePosts(),
      ({ uri }) => ({ method: "getreplies", query: uri }),
      (post) => entries(world.truth.repliesTo(post)),
    );
    expect(wrong).toEqual([]);
  });

  test("getretweeters returns everyone who reposted a post, to the last page", async () => {
    const [first] = somePosts();
    expect(first === undefined ? 0 : world.truth.repostersOf(first).length).toBeGreaterThan(100);
    const wrong = await compared(
      somePosts().filter(({ why }) => why !== "deleted"),
      ({ uri }) => ({ method: "getretweeters", query: uri }),
      (post) => profiles(world.truth.repostersOf(post), "listed"),
    );
    expect(wrong).toEqual([]);
  });

  test("a post has the same ID in every method", async () => {
    const account = accountAt(cast.star);
    const listed = await anyone.all({ method: "gettweets", query: account.did });
    const some = listed.filter(({ Metadata }) => Metadata.is_retweet === false).slice(0, 12);
    const single = await inParallel(some, ({ Metadata }) =>
      anyone.all({ method: "getbyid", query: String(Metadata.uri) }),
    );
    const ids = (records: readonly ApiRecord[]): string[] => records.map(({ ID }) => ID);
    expect(ids(single.flat())).toEqual(ids(some));
  });
});

describe("private reads of an account", () => {
  test("gethometweets returns posts and reposts of the followed accounts", async () => {
    for (const [asker, index] of [
      [reader, cast.reader],
      [other, cast.other],
      [allower, cast.allower],
    ] as const) {
      const due = world.truth.homeOf(accountAt(index));
      const found = await asker.all({ method: "gethometweets", type: "social-credential" });
      expect(differences(found, entries(due))).toEqual([]);
      expect(timesOutOfOrder(found)).toEqual([]);
    }
    expect(world.truth.homeOf(accountAt(cast.reader)).length).toBeGreaterThan(300);
  });

  test("getforyoutweets returns a feed in its own order, without hidden and deleted posts", async () => {
    const due = world.feed.posts.filter(isShown);
    expect(due.length).toBeLessThan(world.feed.posts.length);
    const found = await reader.all({ method: "getforyoutweets", maxResults: 50 });
    expect(differences(found, entries(due))).toEqual([]);
    expect(found.map(({ Metadata }) => Metadata.uri)).toEqual(due.map(({ uri }) => uri));
  });

  test("an account without a credential is refused private reads, and the error names what is missing", async () => {
    for (const method of ["gethometweets", "getforyoutweets"]) {
      const { code, body } = await anyone.submit({ method });
      expect({ code, body }).toMatchObject({ code: 422, body: { code: "source_unavailable" } });
    }
  });

  test("a home timeline is never visible to another account", async () => {
    const { status, next } = await reader.page({ method: "gethometweets", maxResults: 10 });
    expect(status).toMatchObject({ status: "done", sources: [{ via: "credential", count: 10 }] });
    expect((await anyone.result(status.uuid)).code).toBe(404);
    expect((await other.result(status.uuid)).code).toBe(404);
    const requested = { method: "gethometweets", maxResults: 10 };
    expect((await other.submit(requested, next ?? "")).code).toBe(400);
    const { records } = await anyone.page({ method: "searchbyfullarchive", query: "-nosuchword" });
    expect(records).toEqual([]);
  });
});

describe("searches", () => {
  const message = ({ text, pictures }: Post, word: string): boolean =>
    [text, ...pictures.map(({ alt }) => alt)].some((output) => output.split(/\s/).includes(word));
  const shownPosts = (more: (post: Post) => boolean): Post[] =>
    world.society.posts.filter((post) => isShown(post) && more(post));
  const rarePosts = (more: (post: Post) => boolean): Post[] =>
    shownPosts((post) => message(post, rareWord) && more(post));

  // This AppView's search matches letters and supports only `from:`; Earshot checks the rest.
  test.for<[string, () => Post[]]>([
    [rareWord, () => rarePosts(() => true)],
    [
      `${rareWord} OR ${otherRareWord}`,
      () => shownPosts((post) => message(post, rareWord) || message(post, otherRareWord)),
    ],
    [`${rareWord} -river`, () => rarePosts((post) => !message(post, "river"))],
    [`${rareWord} is:reply`, () => rarePosts(({ parent }) => parent !== null)],
    [`${rareWord} has:images`, () => rarePosts(({ pictures }) => pictures.length > 0)],
    [`${rareWord} from:person1.test`, () => rarePosts(({ by }) => by.index === cast.prolific)],
  ])(
    "searchbyfullarchive of %s finds all, and nothing that does not match",
    async ([query, dueOf]) => {
      const due = dueOf();
      expect(due.length).toBeGreaterThan(1);
      const found = await reader.all({ method: "searchbyfullarchive", query });
      expect(differences(found, entries(due))).toEqual([]);
      expect(timesOutOfOrder(found)).toEqual([]);
    },
  );

  test("a language filter matches the language a post declares, or the detected one", async () => {
    const query = `${rareWord} lang:ja`;
    const found = await reader.all({ method: "searchbyfullarchive", query });
    const isNamed = ({ Metadata }: ApiRecord): boolean => Metadata.lang_detected === false;
    const due = rarePosts(({ langs }) => langs.includes("ja"));
    expect(due.length).toBeGreaterThan(1);
    expect(differences(found.filter(isNamed), entries(due))).toEqual([]);
    const detected = found.filter((record) => !isNamed(record));
    expect(detected.map(({ Metadata }) => Metadata.lang)).toEqual(detected.map(() => "ja"));
    const unnamed = rarePosts(({ langs }) => langs.length === 0);
    const all = [...entries(due), ...entries(unnamed)];
    expect(differences(found, all).filter((line) => !line.startsWith("missing"))).toEqual([]);
  });

  test("searchbyquery finds posts of the last days and reports their source", async () => {
    const sinceMs = Date.now() - 6 * dayMs;
    const due = rarePosts(({ createdMs }) => createdMs >= sinceMs);
    expect(due.length).toBeGreaterThan(0);
    const startTime = new Date(sinceMs).toISOString();
    const requested = { method: "searchbyquery", query: rareWord, startTime };
    const { records, status } = await reader.page(requested);
    expect(differences(records, entries(due))).toEqual([]);
    expect(status.sources).toContainEqual(
      expect.objectContaining({ platform: "bluesky", via: "credential", count: due.length }),
    );
  });

  test("without a credential only the archive answers a search, and it is empty", async () => {
    const requested = { method: "searchbyquery", query: rareWord };
    const { records, status } = await anyone.page({ ...requested, type: "social-credential" });
    expect(records).toEqual([]);
    expect(status.warnings.map(({ code }) => code)).toContain("no_credential");
    expect((await anyone.page(requested)).records).toEqual([]);
  });
});

test("gettrends fails with an error that names the upstream, which has no trends in the test network", async () => {
  const { body } = await anyone.submit({ method: "gettrends" });
  const { code, body: problem } = await anyone.result(String(body.uuid));
  const { host } = new URL(world.network.appview);
  expect({ code, problem }).toMatchObject({ code: 502, problem: { code: "upstream_failed" } });
  expect(JSON.stringify(problem)).toContain(host);
});
