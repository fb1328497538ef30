import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEncryptor } from "../../src/lib/encryption.ts";
import { lowestId } from "../../src/posts/ids.ts";
import { createLog } from "../../src/server/log.ts";
import { encryptSecrets } from "../../src/upstream/credentials/encrypt-secrets.ts";
import type { EmulatedPost, EmulatedUser } from "../../testkit/emulators/x/model.ts";
import { startXEmulator, type XEmulator } from "../../testkit/emulators/x/server.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

/** X through the whole service, against an emulator. */

const minuteMs = 60_000;
const secretKey = randomBytes(32);
const client = { id: "client-of-tests", secret: null, redirectUri: "http://127.0.0.1/" };
const users: EmulatedUser[] = [
  { id: "11", username: "ann", name: "Ann", followers: ["12"] },
  { id: "12", username: "bob", name: "Bob" },
];

const logged: string[] = [];

let x: XEmulator;
let service: ServiceUnderTest;
let key: string;
let accountId: string;
let startMs: number;

beforeAll(async () => {
  startMs = Date.now();
  x = await startXEmulator({
    clients: [client],
    appTokens: ["app-token-0001", "app-token-0002"],
    world: { users, posts: [] },
    faults: { isUnpaced: true },
  });
  service = await startServiceUnderTest(
    {
      EARSHOT_SECRET_KEY: secretKey.toString("base64"),
      EARSHOT_X_API_URL: x.url,
      EARSHOT_X_MONTHLY_POST_READS: "25",
      EARSHOT_MAX_ATTEMPTS: "2",
    },
    { log: createLog("trace", { write: (line) => logged.push(line) }) },
  );
});
afterAll(async () => {
  await service.remove();
  await x.close();
});

let accounts = 0;
beforeEach(async () => {
  x.world.posts.length = 0;
  x.requests.length = 0;
  accounts += 1;
  ({ token: key, accountId } = await makeAccount(`account ${accounts}`));
});

async function makeAccount(name: string): Promise<{ token: string; accountId: string }> {
  const created = await service.context.store.write("createKey", {
    name,
    accountName: name,
    requestsPerSecond: 1_000_000,
    submissionsPerMinute: 1_000_000,
    nowMs: Date.now(),
  });
  return { token: created.token, accountId: created.accountId };
}

const post = (n: number, more: Partial<EmulatedPost> = {}): EmulatedPost => {
  const createdMs = startMs - n * minuteMs;
  const id = String(lowestId(createdMs) + BigInt(n));
  return { id, authorId: "11", text: `a river, number ${n}`, lang: "en", createdMs, ...more };
};

/** Stores a credential like `earshot credentials add`. */
async function storeCredential(
  kind: "app-token" | "user-token",
  owner: string | null,
  token = "app-token-0001",
): Promise<void> {
  const id = `${kind}-of-${owner ?? "all"}`.slice(0, 40);
  const scopes = ["tweet.read", "users.read", "follows.read", "offline.access"];
  const secrets =
    kind === "app-token"
      ? { token }
      : {
          clientId: client.id,
          clientSecret: "",
          expiresMs: "",
          ...x.grant({ userId: "12", scopes, clientId: client.id }),
        };
  await service.context.store.write("putCredential", {
    id,
    accountId: owner,
    platform: "x",
    kind,
    host: x.url,
    subject: kind === "app-token" ? null : "12",
    subjectName: kind === "app-token" ? null : "bob",
    hint: "app-",
    encryptedSecret: encryptSecrets(
      createEncryptor(secretKey, randomBytes),
      { id, accountId: owner },
      secrets,
    ),
    maxOfOwner: 100,
    nowMs: Date.now(),
  });
}

type JobOptions = { type?: string; query?: string; method?: string; by?: string; max?: number };

/** Submits, waits, and reads the result and status. */
async function runJob({
  type = "social",
  query,
  method = "searchbyquery",
  by = key,
  max = 10,
}: JobOptions) {
  const body = { type, arguments: { type: method, query, max_results: max } };
  const submitted = await service.submit(by, body, "/v1/search/live/x");
  expect(submitted.json()).toMatchObject({ error: "" });
  const { uuid } = submitted.json<{ uuid: string }>();
  const result = await service.result(by, uuid);
  const url = `/v1/search/live/x/status/${uuid}`;
  const status = (await service.call(by, { method: "GET", url })).json();
  return { result, status, records: result.json() };
}

describe("an account with its own credential", () => {
  test("an account with its own X credential sees everything that X returns, and the cost", async () => {
    await storeCredential("app-token", accountId);
    x.world.posts.push(post(1), post(2), post(3, { text: "stone" }));
    const { records, status } = await runJob({ query: "river" });
    expect(records).toMatchObject([
      { ID: post(1).id, Content: "a river, number 1", Metadata: { username: "ann" } },
      { ID: post(2).id, Content: "a river, number 2" },
    ]);
    const [part] = status.sources.filter(({ via }: { via: string }) => via === "api");
    expect(part).toMatchObject({
      platform: "x",
      count: 2,
      cost: { post_reads: 2, user_reads: 1, usd: 0.02 },
    });
  });

  test("an account with its own X credential reads its own home timeline, which no other account can", async () => {
    await storeCredential("user-token", accountId);
    x.world.posts.push(post(1), post(2, { authorId: "12", text: "own" }));
    const { records } = await runJob({ type: "social-credential", method: "gethometweets" });
    expect(records).toMatchObject([{ Content: "a river, number 1" }, { Content: "own" }]);
    const other = await makeAccount("another");
    const body = { type: "social-credential", arguments: { type: "gethometweets" } };
    const refused = await service.submit(other.token, body, "/v1/search/live/x");
    expect(refused.statusCode).toBe(422);
  });

  test("no output contains the credential, regardless of what X echoes", async () => {
    await storeCredential("app-token", accountId);
    await storeCredential("user-token", accountId);
    x.faults.isEchoing = true;
    const responses: string[] = [];
    for (const requested of [
      { query: "river" },
      { type: "social-api", method: "getbyid", query: "20" },
      { type: "social-credential", method: "gethometweets" },
    ]) {
      const { result, status } = await runJob(requested);
      responses.push(result.body, JSON.stringify(status));
    }
    x.faults.isEchoing = false;
    const tokens = new Set(x.requests.map(({ authorization }) => authorization?.split(" ")[1]));
    expect(tokens.size).toBe(2);
    const everything = `${responses.join("")}${logged.join("")}`;
    expect(everything).toContain("cannot read Authorization: Bearer …");
    for (const token of tokens) expect(everything).not.toContain(token);
  });

  test.each(["app-token", "user-token"] as const)(
    "an account with its own %s searches the last days completely, by recent search",
    async (kind) => {
      await storeCredential(kind, accountId);
      x.world.posts.push(post(1), post(6 * 24 * 60));
      const { records, status, result } = await runJob({ query: "river" });
      expect(records).toHaveLength(2);
      expect(status).toMatchObject({ complete: true, coverage: { complete: true, gaps: [] } });
      expect(result.headers["x-coverage"]).toMatch(/^complete, /);
      const late =
        Date.parse(status.coverage.from) - (Date.parse(status.submitted_at) - 7 * 86_400_000);
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(15 * minuteMs);
      expect(x.requests.map(({ path }) => path)).toEqual(["/2/tweets/search/recent"]);
    },
  );

  test("a search with the account's own X credential does not spend the deployment's budget", async () => {
    await storeCredential("app-token", accountId);
    x.world.posts.push(...Array.from({ length: 40 }, (_, n) => post(n + 1)));
    const { records, status } = await runJob({ query: "river", max: 40 });
    expect(records).toHaveLength(40);
    const [part] = status.sources.filter(({ via }: { via: string }) => via === "api");
    expect(part.cost).toMatchObject({ post_reads: 40, month: null });
  });
});

describe("an unusable answer", () => {
  test.each(["{}", "null", "[]", '{"errors":[{"title":"Oops"}]}'])(
    "a 200 response with the unusable body %s is requested once, and its cost is recorded",
    async (body) => {
      await storeCredential("app-token", accountId);
      x.faults.body = body;
      const { status, records } = await runJob({ query: "river" });
      delete x.faults.body;
      expect(x.requests).toHaveLength(1);
      expect(records).toEqual([]);
      expect(status).toMatchObject({ status: "done", complete: false, attempts: 1 });
      const [part] = status.sources.filter(({ via }: { via: string }) => via === "api");
      expect(part.cost).toMatchObject({ post_reads: 10, user_reads: 10 });
    },
  );

  test("the error for a request that X rejects (400) is not retryable and has no hint", async () => {
    await storeCredential("app-token", accountId);
    x.faults.isEchoing = true;
    const { result } = await runJob({ method: "getbyid", query: "20" });
    x.faults.isEchoing = false;
    expect(result.statusCode).toBe(502);
    expect(result.json()).toMatchObject({ code: "upstream_failed", retryable: false });
    expect(result.json()).not.toHaveProperty("hint");
    expect(x.requests).toHaveLength(1);
  });
});

describe("requests with the deployment's credential", () => {
  beforeAll(() => storeCredential("app-token", null));

  test("posts fetched with the deployment's X credential are shown by their IDs only", async () => {
    x.world.posts.push(post(1));
    const { records, status } = await runJob({ query: "river" });
    expect(records).toMatchObject([{ ID: post(1).id, Content: "" }]);
    expect(JSON.stringify(records)).not.toContain("river");
    expect(status.warnings).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ code: "ids_only" })]),
    );
  });

  test("accounts fetched with the deployment's X credential are shown by their IDs only", async () => {
    const { records } = await runJob({
      type: "social-api",
      method: "getprofilebyid",
      query: "11",
    });
    expect(records).toMatchObject([{ ID: "11", Content: "" }]);
    expect(JSON.stringify(records)).not.toMatch(/"ann"/i);
  });

  test("the deployment's monthly budget is enforced, and the error names its setting", async () => {
    x.world.posts.push(...Array.from({ length: 40 }, (_, n) => post(n + 1)));
    const before = x.billed.posts;
    const first = await runJob({ query: "river", max: 20 });
    expect(first.records).toHaveLength(20);
    const [part] = first.status.sources.filter(({ via }: { via: string }) => via === "api");
    expect(part.cost.month).toMatchObject({ post_reads: 21, most_post_reads: 25 });
    const requested = x.requests.length;
    const second = await runJob({ query: "number", max: 20 });
    expect(JSON.stringify([second.status, second.records])).toContain(
      "EARSHOT_X_MONTHLY_POST_READS",
    );
    expect(x.requests).toHaveLength(requested);
    expect(x.billed.posts - before).toBe(20);
    const month = part.cost.month.name;
    const spent = { accountId, platform: "x", month } as const;
    expect(await service.context.http.accounts.read("monthSpending", spent)).toMatchObject({
      own: null,
      shared: { postReads: 20 },
      deploymentPostReads: 21,
    });
  });

  test.each([["getspace", "1DXxyRYNejbKM"]])(
    "the method %s is rejected before it costs anything, because its data may not be shown to other accounts",
    async (method, query) => {
      const body = { type: "social", arguments: { type: method, query, max_results: 10 } };
      const refused = await service.submit(key, body, "/v1/search/live/x");
      expect(refused.statusCode).toBe(422);
      expect(refused.json()).toMatchObject({
        code: "source_unavailable",
        error: expect.stringContaining("your own x credential"),
        hint: expect.stringContaining("earshot credentials add x app-token"),
      });
      expect(refused.json().hint).toContain("--account ACCOUNT");
      expect(x.requests).toEqual([]);
    },
  );

  test("gettrends sends no request to X, because its data may not be shown to other accounts", async () => {
    const job = await runJob({ method: "gettrends", type: "social" });
    expect(job.status).toMatchObject({ status: "done", complete: false });
    expect(job.status.warnings[0].code).toBe("no_credential");
    expect(x.requests).toEqual([]);
  });

  test("a job waits for the account's own credential, limited to one request a second, instead of using another", async () => {
    await storeCredential("app-token", accountId, "app-token-0002");
    x.faults.isUnpaced = false;
    x.world.posts.push(post(1));
    const requested = { query: "river", method: "searchbyfullarchive", type: "social" };
    const answers = await Promise.all([runJob(requested), runJob(requested)]);
    x.faults.isUnpaced = true;
    for (const { records, status } of answers) {
      expect(records).toMatchObject([{ Content: "a river, number 1" }]);
      expect(status.complete).toBe(true);
    }
    expect(x.requests.map(({ path, authorization }) => [path, authorization])).toEqual(
      Array(2).fill(["/2/tweets/search/all", "Bearer app-token-0002"]),
    );
  });

  test("a query that X cannot express is reported without a request", async () => {
    const { status, records } = await runJob({ query: "lang:en filter:media" });
    expect(JSON.stringify([status, records])).toContain("from:<username>");
    expect(x.requests).toEqual([]);
  });
});
