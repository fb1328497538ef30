import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEncryptor } from "../../src/lib/encryption.ts";
import { encryptSecrets } from "../../src/upstream/credentials/encrypt-secrets.ts";
import {
  type MastodonEmulator,
  startMastodonEmulator,
} from "../../testkit/emulators/mastodon/server.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

/** Mastodon through the whole service, against emulators. */

const secretKey = randomBytes(32);
/** The server that the operator configured, and one for which an account has a token. */
let publicServer: MastodonEmulator;
let ownServer: MastodonEmulator;
let service: ServiceUnderTest;
let key: string;
let accountId: string;
let ann: string;
let startMs: number;

beforeAll(async () => {
  publicServer = await startMastodonEmulator();
  ownServer = await startMastodonEmulator();
  service = await startServiceUnderTest({
    EARSHOT_SECRET_KEY: secretKey.toString("base64"),
    EARSHOT_MASTODON_INSTANCE: publicServer.url,
    EARSHOT_UPSTREAM_PRIVATE_HOSTS: ownServer.url,
    EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND: "1000",
    EARSHOT_MAX_ATTEMPTS: "1",
  });
  startMs = Date.now() - 3_600_000;
  ann = publicServer.network.addAccount({ username: "ann", note: "writes" }).id;
  const bob = publicServer.network.addAccount({ username: "bob", indexable: false }).id;
  for (let index = 0; index < 45; index += 1) {
    const createdMs = startMs + index * 1_000;
    publicServer.network.addStatus({ accountId: ann, text: `comet ${index} #space`, createdMs });
  }
  publicServer.network.addStatus({
    accountId: bob,
    text: "comet of bob #space",
    createdMs: startMs,
  });
  publicServer.network.follow(bob, ann);
  const me = ownServer.network.addAccount({ username: "me" }).id;
  const friend = ownServer.network.addAccount({ username: "friend" }).id;
  ownServer.network.follow(me, friend);
  ownServer.network.addStatus({
    accountId: friend,
    text: "comet for friends",
    visibility: "private",
    createdMs: startMs,
  });
  ownServer.network.addStatus({
    accountId: friend,
    text: "comet for all",
    createdMs: startMs + 500,
  });
  ({ accountId, token: key } = await makeAccount("one"));
  await storeToken(ownServer, accountId, me);
});
afterAll(async () => {
  await service.remove();
  await Promise.all([publicServer.close(), ownServer.close()]);
});
beforeEach(() => {
  publicServer.requests.length = 0;
  ownServer.requests.length = 0;
});

async function makeAccount(name: string) {
  return await service.context.store.write("createKey", {
    name,
    accountName: name,
    requestsPerSecond: 1_000_000,
    submissionsPerMinute: 1_000_000,
    nowMs: Date.now(),
  });
}

/** Stores a token like `earshot credentials add`. */
async function storeToken(server: MastodonEmulator, owner: string, subject: string): Promise<void> {
  const { token } = server.addToken({ accountId: subject });
  const id = `token-of-${owner}`.slice(0, 40);
  const encryptor = createEncryptor(secretKey, randomBytes);
  await service.context.store.write("putCredential", {
    id,
    accountId: owner,
    platform: "mastodon",
    kind: "user-token",
    host: server.url,
    subject,
    subjectName: "@me",
    hint: "use",
    encryptedSecret: encryptSecrets(encryptor, { id, accountId: owner }, { token }),
    maxOfOwner: 100,
    nowMs: Date.now(),
  });
}

type JobOptions = { method: string; query?: string; type?: string; by?: string; more?: object };

async function runJob({ method, query, type = "social", by = key, more = {} }: JobOptions) {
  const body = { type, arguments: { type: method, query, max_results: 100, ...more } };
  const submitted = await service.submit(by, body, "/v1/search/live/mastodon");
  expect(submitted.json()).toMatchObject({ error: "" });
  const { uuid } = submitted.json<{ uuid: string }>();
  const result = await service.result(by, uuid);
  const url = `/v1/search/live/mastodon/status/${uuid}`;
  const status = (await service.call(by, { method: "GET", url })).json();
  return { result, status, records: result.json() };
}
const contents = (records: { Content: string }[]) => records.map(({ Content }) => Content);

describe("requests without a credential", () => {
  let outsider: string;
  beforeAll(async () => {
    outsider = (await makeAccount("stranger")).token;
  });

  test("the configured Mastodon server is requested without a credential, page after page", async () => {
    const first = await runJob({
      method: "gettweets",
      query: "@ann",
      by: outsider,
      more: { max_results: 30 },
    });
    expect(contents(first.records)).toEqual(
      Array.from({ length: 30 }, (_, index) => `comet ${44 - index} #space`),
    );
    expect(first.records[0]).toMatchObject({
      Metadata: {
        platform: "mastodon",
        username: `ann@${publicServer.host}`,
        user_id: `${ann}@${publicServer.host}`,
        hashtags: ["space"],
        origin: "upstream",
      },
    });
    const next = first.result.headers["x-next-cursor"];
    const second = await runJob({
      method: "gettweets",
      query: "@ann",
      by: outsider,
      more: { max_results: 30, next_cursor: next },
    });
    expect(contents(second.records)).toEqual(
      Array.from({ length: 15 }, (_, index) => `comet ${14 - index} #space`),
    );
    expect(first.status.sources).toMatchObject([
      { platform: "mastodon", via: "public", count: 30 },
    ]);
  });

  test("a post and its author are returned without a credential", async () => {
    const uri = `${publicServer.url}/users/ann/statuses/${[...publicServer.network.statuses.keys()][3]}`;
    expect(
      contents((await runJob({ method: "getbyid", query: uri, by: outsider })).records),
    ).toEqual(["comet 3 #space"]);
    const { records } = await runJob({ method: "searchbyprofile", query: "@ann", by: outsider });
    expect(records).toMatchObject([{ ID: `${ann}@${publicServer.host}`, Content: "writes" }]);
    expect(
      (
        await runJob({
          method: "getprofilebyid",
          query: `${ann}@${publicServer.host}`,
          by: outsider,
        })
      ).records,
    ).toEqual(records);
    expect(
      contents((await runJob({ method: "getbyid", query: "4711", by: outsider })).records),
    ).toEqual([]);
  });

  test("replies to a post whose id has letters are found by its page and by ID@host", async () => {
    publicServer.settings.differences.ulids = true;
    const { id } = publicServer.network.addStatus({
      accountId: ann,
      text: "lettered",
      createdMs: startMs,
    });
    const reply = { accountId: ann, text: "a reply", inReplyToId: id, createdMs: startMs + 1 };
    publicServer.network.addStatus(reply);
    publicServer.settings.differences.ulids = false;
    expect(id).toMatch(/^[0-9A-Z]{26}$/);
    for (const query of [
      `${id}@${publicServer.host}`,
      `${publicServer.url}/@ann/statuses/${id}`,
      `${publicServer.url}/users/ann/statuses/${id}`,
    ]) {
      const { records } = await runJob({ method: "getreplies", query, by: outsider });
      expect(contents(records)).toEqual(["a reply"]);
    }
  });

  test("posts with a hashtag, of authors who opted in, are found without a credential", async () => {
    const { records, status } = await runJob({
      method: "searchbyquery",
      query: "#space comet",
      by: outsider,
    });
    expect(records).toHaveLength(45);
    expect(status.warnings.map(({ code }: { code: string }) => code)).toContain("partial_search");
    expect(status.complete).toBe(false);
  });

  test("a server in the operator's own network that a query names is not called", async () => {
    const { host } = ownServer;
    const { status } = await runJob({
      method: "gettweets",
      query: `@friend@${host}`,
      by: outsider,
    });
    expect(status).toMatchObject({ status: "error" });
    expect(ownServer.requests).toEqual([]);
  });
});

describe("an account with its own token", () => {
  test("a request of an account with its own Mastodon token goes to the token's server", async () => {
    const { records, status } = await runJob({
      method: "gettweets",
      query: "@friend",
      type: "social-credential",
    });
    expect(contents(records)).toEqual(["comet for all"]);
    expect(status.sources).toMatchObject([{ via: "credential", count: 1 }]);
    expect(publicServer.requests).toEqual([]);
  });

  test("an account with its own Mastodon token reads its home timeline, with what only followers see, and no other account does", async () => {
    const home = { method: "gethometweets", type: "social-credential" };
    expect(contents((await runJob(home)).records)).toEqual(["comet for all", "comet for friends"]);
    const { token: other } = await makeAccount("other");
    const body = { type: "social-credential", arguments: { type: "gethometweets" } };
    expect((await service.submit(other, body, "/v1/search/live/mastodon")).statusCode).toBe(422);
  });

  test("an account with its own Mastodon token searches, and finds only public posts", async () => {
    const { records } = await runJob({
      method: "searchbyquery",
      query: "comet",
      type: "social-credential",
    });
    expect(contents(records)).toEqual(["comet for all"]);
  });

  test("an account gets an error for a revoked Mastodon token, which is not used again", async () => {
    const { token: by, accountId: owner } = await makeAccount("late");
    await storeToken(ownServer, owner, [...ownServer.network.accounts.keys()][0] ?? "");
    const job = { method: "gettweets", query: "@friend", type: "social-credential", by };
    expect((await runJob(job)).records).toHaveLength(1);
    const { authorization } = ownServer.requests[0] ?? {};
    ownServer.revoke(authorization?.replace("Bearer ", "") ?? "");
    const { status, result } = await runJob(job);
    expect(status).toMatchObject({
      status: "error",
      error: expect.stringContaining("no longer accepts the token"),
    });
    expect(result.statusCode).toBe(502);
    const body = {
      type: "social-credential",
      arguments: { type: "getfollowers", query: "@friend" },
    };
    const refused = await service.submit(by, body, "/v1/search/live/mastodon");
    expect(refused.statusCode).toBe(422);
  });
});
