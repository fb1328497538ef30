import { parseQuery } from "@earshot/query";
import { afterEach, describe, expect, it } from "vitest";
import type { Differences, EmulatorOptions } from "../../../testkit/emulators/mastodon/options.ts";
import { plainSession } from "../../../testkit/emulators/mastodon/plain-session.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../../testkit/emulators/mastodon/server.ts";
import type { EarshotError } from "../../lib/errors.ts";
import { type FetchMethod, methods } from "../methods.ts";
import { readTarget } from "../read-target.ts";
import type { UpstreamItem } from "../upstream.ts";
import { createInstanceInfoCache, readInstanceInfo } from "./instance-info.ts";
import { getServerAccess } from "./server-access.ts";
import { createMastodonUpstream } from "./upstream.ts";

let server: MastodonEmulator;
afterEach(async () => await server.close());

type Fixture = { token: string; first: string; uri: string };

async function start(options: EmulatorOptions = {}): Promise<Fixture> {
  server = await startMastodonEmulator(options);
  const { network } = server;
  const ann = network.addAccount({ username: "ann" });
  const bob = network.addAccount({ username: "bob" });
  const first = network.addStatus({
    accountId: ann.id,
    text: "one #post",
    createdMs: Date.now() - 9_000,
  });
  const reply = network.addStatus({ accountId: bob.id, text: "two", inReplyToId: first.id });
  for (let index = 0; index < 50; index += 1)
    network.addStatus({ accountId: bob.id, text: `more ${index}` });
  network.reblog(bob.id, first.id);
  network.follow(ann.id, bob.id);
  network.follow(bob.id, ann.id);
  network.trends.push("post");
  expect(reply.id).not.toBe(first.id);
  const { token } = server.addToken({ accountId: ann.id });
  return { token, first: first.id, uri: `${server.url}/users/ann/statuses/${first.id}` };
}

async function page(
  method: FetchMethod,
  query: string | null,
  { token, cursor = null }: { token?: string | undefined; cursor?: string | null } = {},
) {
  const { query: kind } = methods[method];
  const target =
    query === null || (kind !== "user" && kind !== "post")
      ? null
      : readTarget(kind, query, "mastodon");
  const access = token === undefined ? {} : { access: "user" as const, token };
  const upstream = createMastodonUpstream({ instance: null });
  return await upstream.page({ method, target, cursor, limit: 100 }, plainSession(server, access));
}

async function fetchAllPages(
  method: FetchMethod,
  query: string,
  token?: string,
): Promise<UpstreamItem[]> {
  const items: UpstreamItem[] = [];
  let cursor: string | null = null;
  do {
    const answer = await page(method, query, { token, cursor });
    items.push(...answer.items);
    cursor = answer.next;
  } while (cursor !== null);
  return items;
}

async function countItems({ token, uri }: Fixture) {
  const counts: Record<string, number> = {};
  for (const [method, query] of [
    ["searchbyprofile", "@ann"],
    ["getbyid", uri],
    ["getreplies", uri],
    ["getretweeters", uri],
    ["gettweets", "@bob"],
    ["getfollowing", "@ann"],
    ["getfollowers", "@ann"],
  ] as const) {
    counts[method] = (await fetchAllPages(method, query, token)).length;
  }
  return counts;
}

const allCounts = {
  searchbyprofile: 1,
  getbyid: 1,
  getreplies: 1,
  getretweeters: 1,
  gettweets: 52,
  getfollowing: 1,
  getfollowers: 1,
};

describe("each method works on a server", () => {
  const differences: (keyof Differences)[] = [
    "ulids",
    "readsNeedToken",
    "needsUserAgent",
    "noBatch",
    "noIndexable",
    "noRateHeaders",
    "noInstanceV2",
    "noTrends",
    "streamsAtWss",
  ];
  it.each(differences)(
    "each method works on a Mastodon-compatible server with %s",
    async (difference) => {
      const world = await start({ differences: { [difference]: true } });
      expect(await countItems(world)).toEqual(allCounts);
    },
  );

  it("each method works on a Mastodon-compatible server with all differences of GoToSocial", async () => {
    expect(await countItems(await start({ dialect: "gotosocial-like" }))).toEqual(allCounts);
  });

  it("without Link headers, lists of posts continue by id, and lists of accounts end after the first page", async () => {
    expect(await countItems(await start({ differences: { noLinks: true } }))).toEqual(allCounts);
  });
});

it("ids with letters are preserved, with their server", async () => {
  const { first, uri } = await start({ differences: { ulids: true } });
  expect(first).toMatch(/^[0-9A-Z]{26}$/);
  const [item] = (await page("getbyid", `${server.url}/@ann/statuses/${first}`)).items;
  expect(item).toMatchObject({ post: { uri, userId: expect.stringMatching(/^[0-9A-Z]{26}@127/) } });
});

describe("a resource that a server shows only to users", () => {
  it("a resource that a server shows only to users causes an error with a hint to add a user token", async () => {
    const { uri } = await start({ differences: { readsNeedToken: true } });
    for (const [method, query] of [
      ["getbyid", uri],
      ["getreplies", uri],
      ["gettweets", "@ann"],
      ["searchbyprofile", "@ann"],
      ["getfollowers", "@ann"],
    ] as const) {
      await expect(page(method, query)).rejects.toMatchObject({
        code: "upstream_refused",
        message: `${server.host} requires a user token for this`,
        hint: `add a user token for ${server.host}`,
      });
    }
  });

  it("a resource that a server shows only to users cannot be read with an application token", async () => {
    const { uri } = await start({ differences: { readsNeedToken: true } });
    const { token } = server.addToken({});
    const session = plainSession(server, { access: "app", token });
    const call = { method: "gethometweets", target: null, cursor: null, limit: 1 } as const;
    await expect(
      createMastodonUpstream({ instance: null }).page(call, session),
    ).rejects.toMatchObject({
      code: "upstream_refused",
      message: expect.stringContaining("an application token is not sufficient"),
    });
    expect(uri).toContain("/users/ann/");
  });
});

it("the error names the scope that a Mastodon token lacks", async () => {
  const { uri } = await start();
  const { token } = server.addToken({
    accountId: [...server.network.accounts.keys()][0] ?? null,
    scopes: ["read:accounts"],
  });
  await expect(page("gethometweets", null, { token })).rejects.toMatchObject({
    code: "credential_refused",
    message: expect.stringContaining("lacks the scope read:statuses"),
  });
  expect(uri).not.toContain(token);
});

it("any other rejection is reported with its status", async () => {
  const { uri } = await start();
  for (const status of [400, 405, 418, 422]) {
    server.settings.faults = { nextResponses: [{ status, body: '{"error":"<b>no</b>"}' }] };
    await expect(page("getbyid", uri)).rejects.toMatchObject({
      code: "upstream_refused",
      message: expect.stringContaining(`${server.host} returned ${status}: `),
    });
  }
});

it("a Mastodon server without trends causes a warning, not an error", async () => {
  await start({ differences: { noTrends: true } });
  expect(await page("gettrends", null)).toMatchObject({
    items: [],
    next: null,
    warnings: [{ code: "no_trends" }],
  });
});

it("a Mastodon search on a server that does not report whether authors allow search omits their posts, with a warning", async () => {
  const { token } = await start({ dialect: "gotosocial-like" });
  const call = {
    tree: parseQuery("one").tree,
    names: { accounts: new Map(), posts: new Map() },
    fromMs: null,
    toMs: Date.now() + 1,
    asOfMs: Date.now(),
    cursor: null,
    limit: 20,
  };
  const session = plainSession(server, { access: "user", token });
  const result = await createMastodonUpstream({ instance: null }).search?.page(call, session);
  expect(result?.items).toEqual([]);
  expect(result?.warnings?.map(({ code }) => code)).toEqual(["partial_search", "no_indexable"]);
});

describe("the description of a server", () => {
  it("the description of a server is requested at most once an hour, and from the older endpoint if the newer one is missing", async () => {
    await start({ differences: { noInstanceV2: true }, version: "3.5.3" });
    const infos = createInstanceInfoCache();
    const access = getServerAccess(plainSession(server));
    for (const nowMs of [0, 3_599_999]) {
      expect(await infos.get(access, nowMs)).toMatchObject({ version: { major: 3, minor: 5 } });
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/api/v2/instance",
      "/api/v1/instance",
    ]);
    await infos.get(access, 3_600_000);
    expect(server.requests).toHaveLength(4);
  });

  it("the description of a server distinguishes Mastodon from compatible software", async () => {
    await start();
    const readVersion = (version: unknown) => readInstanceInfo({ version }).version;
    expect(readVersion("4.5.2")).toEqual({ major: 4, minor: 5 });
    expect(readVersion("4.4.0-beta.1+glitch")).toEqual({ major: 4, minor: 4 });
    for (const other of [
      "2.7.2 (compatible; Pleroma 2.9.1)",
      "0.18.1+git-8a7f3b2",
      "takahe/0.11",
      "",
      4,
      null,
    ]) {
      expect(readVersion(other)).toBeNull();
    }
    for (const body of [null, [], "4.5.2", { configuration: { timelines_access: 1 } }])
      readInstanceInfo(body);
  });
});

it("a page with unreadable items reports how many were omitted", async () => {
  const { uri } = await start();
  const body = JSON.stringify([{ id: "1" }, null, 7, {}]);
  server.settings.faults = {
    nextResponses: [
      { status: 200, body: JSON.stringify({ id: "1", acct: "ann" }) },
      { status: 200, body },
    ],
  };
  expect(await page("gettweets", "@ann")).toMatchObject({
    items: [],
    warnings: [
      { code: "unreadable_items", message: expect.stringContaining("4 items from the server") },
    ],
  });
  for (const body of ["null", "{}", "7", '"x"', '{"descendants":7}', "[[[]]]"]) {
    for (const method of ["getreplies", "getbyid", "getretweeters"] as const) {
      server.settings.faults = { nextResponses: [{ status: 200, body }] };
      const reported = await page(method, uri).then(
        ({ items, warnings = [] }) => [items.length, ...warnings.map(({ code }) => code)],
        ({ code }: EarshotError) => [0, code],
      );
      // Only lists may contain unreadable items.
      const isList = body.startsWith("[") && method === "getretweeters";
      const expected = isList ? "unreadable_items" : "answer_unreadable";
      expect(reported, `${method} ${body}`).toEqual([0, expected]);
    }
  }
});

describe("an account or post on another server", () => {
  it("an account or post on another server is requested there if the session's server does not know it", async () => {
    const { token } = await start();
    const far = await startMastodonEmulator({ domain: "far.example" });
    const dee = far.network.addAccount({ username: "dee" });
    const post = far.network.addStatus({ accountId: dee.id, text: "far away" });
    const upstream = createMastodonUpstream({ instance: null });
    const otherServers = [{ ...far, host: "far.example" }];
    for (const access of [{}, { access: "user" as const, token }]) {
      const session = plainSession(server, { ...access, otherServers });
      const request = async (method: FetchMethod, query: string) => {
        const kind = method === "getbyid" ? "post" : "user";
        const target = readTarget(kind, query, "mastodon");
        return (await upstream.page({ method, target, cursor: null, limit: 5 }, session)).items;
      };
      expect(await request("searchbyprofile", "@dee@far.example")).toMatchObject([
        { profile: { userId: `${dee.id}@far.example`, username: "dee@far.example" } },
      ]);
      expect(await request("gettweets", `${dee.id}@far.example`)).toHaveLength(1);
      expect(await request("getbyid", `https://far.example/@dee/${post.id}`)).toMatchObject([
        { post: { text: "far away", userId: `${dee.id}@far.example` } },
      ]);
    }
    await far.close();
  });

  it("an account on another server causes an error if that server is unreachable", async () => {
    const { token } = await start();
    const { items } = await page("searchbyprofile", "@dee@nowhere.example", { token }).catch(
      (error) => ({ items: error.code }),
    );
    expect(items).toBe("upstream_unreachable");
  });
});
