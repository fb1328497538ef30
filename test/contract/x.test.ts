import { setTimeout } from "node:timers/promises";
import { parseQuery } from "@earshot/query";
import { afterAll, describe, expect, test } from "vitest";
import type { CredentialKind } from "../../src/platforms/credential.ts";
import type { PageCall, UpstreamPage } from "../../src/platforms/upstream.ts";
import { xCredentialKinds } from "../../src/platforms/x/credential-kinds.ts";
import { createXUpstream } from "../../src/platforms/x/upstream.ts";
import {
  postTarget,
  sessionWith,
  storedXCredential,
  type TestSession,
  tools as toolsAt,
  userTarget,
} from "../../testkit/upstreams/x.ts";

/*
 * Checks our assumptions against the real X. X bills reads: a run costs about one dollar. Run with
 *
 *     EARSHOT_CONTRACT_X=XDevelopers       an account that has posts, media, reposts and followers
 *     EARSHOT_CONTRACT_X_APP_TOKEN=…       the bearer token of an application
 *     EARSHOT_CONTRACT_X_CLIENT_ID=…       a client ID, and an access token of a user with the scopes tweet.read, users.read
 *     EARSHOT_CONTRACT_X_ACCESS_TOKEN=…    and follows.read; its refresh token is not used, because that would invalidate it
 *     EARSHOT_CONTRACT_X_URL               the URL of the API, if not https://api.x.com
 */
const {
  EARSHOT_CONTRACT_X: handle = "",
  EARSHOT_CONTRACT_X_APP_TOKEN: appToken = "",
  EARSHOT_CONTRACT_X_CLIENT_ID: clientId = "",
  EARSHOT_CONTRACT_X_ACCESS_TOKEN: accessToken = "",
  EARSHOT_CONTRACT_X_URL: url = "https://api.x.com",
} = process.env;

const hasApp = handle !== "" && appToken !== "";
const hasUser = handle !== "" && clientId !== "" && accessToken !== "";
const appTitle = hasApp
  ? "what X returns to an application"
  : "what X returns to an application (skipped: EARSHOT_CONTRACT_X and EARSHOT_CONTRACT_X_APP_TOKEN are not set)";
const userTitle = hasUser
  ? "what X returns to a user"
  : "what X returns to a user (skipped: EARSHOT_CONTRACT_X, EARSHOT_CONTRACT_X_CLIENT_ID and EARSHOT_CONTRACT_X_ACCESS_TOKEN are not set)";

const tools = { ...toolsAt, now: Date.now };
const upstream = createXUpstream({ apiUrl: url, trendsWoeid: 1, isRedistributionAgreed: false });
const sessions: TestSession[] = [];

function findKind(name: string) {
  const kind = xCredentialKinds({ apiUrl: url }).find((other) => other.name === name);
  if (kind === undefined) throw new Error(`no ${name}`);
  return kind;
}

/** Full-archive search allows one request a second. */
function patient(send: CredentialKind["send"]): CredentialKind["send"] {
  return async (...args) => {
    const response = await send(...args);
    if (response.status !== 429) return response;
    await setTimeout(1_100);
    return await send(...args);
  };
}

async function fetchSession(name: string, secrets: Record<string, string>): Promise<TestSession> {
  const kind = findKind(name);
  const created = await kind.make(secrets, tools);
  const paced = { ...kind, send: patient(kind.send) };
  const session = sessionWith(
    { url },
    paced,
    storedXCredential(created.secrets, created.subject),
    Date.now(),
  );
  sessions.push(session);
  return session;
}

const page = (
  session: TestSession,
  method: PageCall["method"],
  target: PageCall["target"],
  more: Partial<PageCall> = {},
): Promise<UpstreamPage> =>
  upstream.page({ method, target, cursor: null, limit: 10, ...more }, session);

const search = async (session: TestSession, query: string, fromMs: number | null) => {
  const { tree } = parseQuery(query);
  const names = { accounts: new Map(), posts: new Map() };
  const nowMs = Date.now();
  const route = fromMs === null ? "all" : "recent";
  const call = { tree, names, fromMs, toMs: nowMs, asOfMs: nowMs, cursor: null, limit: 10, route };
  return (await upstream.search?.page(call, session)) ?? null;
};

/** Expects items, none of them skipped as unreadable. */
function expectWhole(found: UpstreamPage | null): void {
  expect(found?.warnings ?? []).toEqual([]);
  expect(found?.items.length).toBeGreaterThan(0);
}

const weekMs = 6 * 86_400_000;

afterAll(() => {
  for (const { access, settledBill } of sessions) {
    process.stderr.write(`read as ${access}: ${JSON.stringify(settledBill)}\n`);
  }
});

describe.skipIf(!hasApp)(appTitle, () => {
  const app = hasApp ? fetchSession("app-token", { token: appToken }) : null;
  const session = async (): Promise<TestSession> => {
    if (app === null) throw new Error("there is no token");
    return await app;
  };

  test("X accepts the application's credential", async () => {
    expect(
      await findKind("app-token").test(storedXCredential({ token: appToken }), tools),
    ).toContain("it works");
  });

  test("X returns a profile by name and by number", async () => {
    const byName = await page(await session(), "searchbyprofile", userTarget({ handle }));
    const [found] = byName.items;
    if (found?.kind !== "profile") throw new Error("no profile");
    expect(found.profile.username.toLowerCase()).toBe(handle.toLowerCase());
    expect(found.profile.counts.followers).not.toBeNull();
    const { userId } = found.profile;
    const byNumber = await page(await session(), "getprofilebyid", userTarget({ id: userId }));
    expect(byNumber.items).toMatchObject([{ profile: { userId } }]);
  });

  test("X returns posts, and the next page of them", async () => {
    const first = await page(await session(), "gettweets", userTarget({ handle }), { limit: 5 });
    expectWhole(first);
    const [item] = first.items;
    if (item?.kind !== "post") throw new Error("no post");
    expect(item.post).toMatchObject({ platform: "x", username: expect.stringMatching(/./) });
    expect(item.post.counts.likes).not.toBeNull();
    const second = await page(await session(), "gettweets", userTarget({ handle }), {
      limit: 5,
      cursor: first.next,
    });
    expectWhole(second);
    expect(JSON.stringify(second.items[0], plain)).not.toBe(JSON.stringify(item, plain));
    const found = await page(
      await session(),
      "getbyid",
      postTarget(item.post.nativeId?.toString() ?? ""),
    );
    expect(found.items).toMatchObject([{ post: { uri: item.post.uri, text: item.post.text } }]);
  });

  test("X's two searches accept every operator that Earshot writes", async () => {
    const query = `from:${handle} -filter:retweets -filter:replies lang:en min_faves:0`;
    expect((await search(await session(), query, Date.now() - weekMs))?.warnings).toEqual([]);
    const all =
      '("the api" OR #x OR @x OR $twtr OR url:x.com) -from:x filter:links filter:media (min_faves:1 OR min_retweets:1 OR min_replies:1)';
    expect((await search(await session(), all, null))?.warnings).toEqual([]);
    const position = "weather geocode:52.52,13.405,10km";
    expect((await search(await session(), position, null))?.warnings).toEqual([]);
  });

  test("X returns media, replies, followers and trends", async () => {
    expectWhole(await page(await session(), "getmedia", userTarget({ handle })));
    expectWhole(await page(await session(), "getfollowers", userTarget({ handle }), { limit: 1 }));
    expectWhole(await page(await session(), "gettrends", null));
    const replies = await page(await session(), "getreplies", postTarget("20"), { route: "all" });
    for (const item of replies.items) expect(item).toMatchObject({ post: { isReply: true } });
  });

  test("X returns an empty page for a missing subject", async () => {
    expect((await page(await session(), "getbyid", postTarget("21"))).items).toEqual([]);
    const noOne = userTarget({ handle: "aaaaaaaaaaaaaa_" });
    expect((await page(await session(), "searchbyprofile", noOne)).items).toEqual([]);
    expect((await page(await session(), "gettweets", noOne)).items).toEqual([]);
  });
});

describe.skipIf(!hasUser)(userTitle, () => {
  test("X returns the home timeline, and searches the full archive", async () => {
    const secrets = { client_id: clientId, access_token: accessToken };
    const session = await fetchSession("user-token", secrets);
    expect((await page(session, "gethometweets", null)).warnings).toEqual([]);
    const found = await search(session, `from:${handle}`, null);
    expect(found?.warnings).toEqual([]);
  });
});

const plain = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
