import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { JobResult } from "../../src/jobs/job.ts";
import { EarshotError } from "../../src/lib/errors.ts";
import { utcMonth } from "../../src/upstream/requests/spending.ts";
import { runCommand } from "../../testkit/service/run-command.ts";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
  type TestSession,
} from "../../testkit/service/service-under-test.ts";

type Tenant = {
  session: TestSession;
  key: string;
  waiting: string;
  running: string;
  done: string;
  /** Texts and bytes that identify the account. */
  traces: readonly Buffer[];
  month: string;
};

type Row = Readonly<Record<string, unknown>>;

let service: ServiceUnderTest;
let database: DatabaseSync;

beforeAll(async () => {
  service = await startServiceUnderTest({ EARSHOT_NODE_CONCURRENCY: "0" });
  database = new DatabaseSync(join(service.dataDir, "control.db"), {
    enableForeignKeyConstraints: true,
    timeout: 5_000,
  });
});
afterAll(async () => {
  if (database.isOpen) database.close();
  await service.remove();
});

const tables = (): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));

const readRows = (table: string): Row[] =>
  database
    .prepare(`SELECT * FROM ${table}`)
    .all()
    .map((row) => ({ ...row }));

function readBytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
}

const containsTrace = (row: Row, traces: readonly Buffer[]): boolean =>
  Object.values(row).some((value) => traces.some((trace) => readBytes(value).includes(trace)));

function rowsWithTraces(traces: readonly Buffer[]): Map<string, Row[]> {
  const found = tables().map((table): [string, Row[]] => [
    table,
    readRows(table).filter((row) => containsTrace(row, traces)),
  ]);
  return new Map(found.filter(([, rows]) => rows.length > 0));
}

function accountTables(): string[] {
  const naming = /(^|_)(account|key|webhook|credential|job|session)(_|$)|^uuid$/;
  return tables().filter((table) =>
    database
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .some(({ name }) => naming.test(String(name))),
  );
}

const withFetched: JobResult = {
  items: [
    { platform: "bluesky", id: 77n, uri: "at://did:plc:fetched/1", userId: null, record: "{}" },
  ],
  next: null,
  complete: true,
  coverage: {
    fromMs: null,
    toMs: 2,
    complete: true,
    gaps: [],
    truncated: false,
    platforms: [],
  },
  sources: [],
  warnings: [],
};

/** Creates an account with rows in every possible table. `name` and `word` must be unique. */
async function createTenant(name: string, word: string): Promise<Tenant> {
  const nowMs = service.clock.now();
  const { store, queue } = service.context;
  const session = await service.signIn();
  const { accountId } = session;
  const subject = `subject-of-${name}`;
  run("UPDATE account SET name = ? WHERE id = ?", `${name} and sons`, accountId);
  run("UPDATE identity SET login = ?, subject = ? WHERE account_id = ?", name, subject, accountId);
  const { id: keyId, token: key } = await store.write("createKey", {
    name: `key of ${name}`,
    accountName: `${name} and sons`,
    requestsPerSecond: 1_000_000,
    submissionsPerMinute: 1_000_000,
    nowMs,
  });
  const done = await submit(key, word, `idempotency of ${name}`);
  const lease = await queue.lease({ nodeId: "test", methods: ["searchbyquery"] }, 5_000);
  if (lease?.uuid !== done) throw new Error("another job was leased");
  await queue.complete(done, lease.token, withFetched);
  const running = await submit(key, word);
  await queue.lease({ nodeId: "test", methods: ["searchbyquery"] }, 5_000);
  const waiting = await submit(key, word, null, "searchbyfullarchive");
  const webhookId = `wh_${name}`;
  run(
    `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms) VALUES(?, ?, ?, '["job.done"]', x'01', ?)`,
    webhookId,
    accountId,
    `https://${name}.example/hook`,
    nowMs,
  );
  run(
    `INSERT INTO webhook_delivery(id, webhook_id, number, event, payload, created_ms) VALUES(?, ?, 1, 'job.done', ?, ?)`,
    `msg_${name}`,
    webhookId,
    JSON.stringify({ uuid: done }),
    nowMs,
  );
  const credentialId = `credential-of-${name}`;
  run(
    `INSERT INTO credential(id, account_id, platform, kind, host, hint, subject, sealed_secret, created_ms)
     VALUES(?, ?, 'x', 'app-token', 'https://api.x.com', 'AAAA', ?, x'02', ?)`,
    credentialId,
    accountId,
    `@${name}`,
    nowMs,
  );
  run("INSERT INTO credential_cooling VALUES(?, 'search', ?, 'full')", credentialId, nowMs);
  const month = utcMonth(nowMs);
  run(
    "INSERT INTO upstream_use VALUES(?, 'x', ?, 'account', 10, 0, 1, 50000)",
    month,
    credentialId,
  );
  run(
    `INSERT INTO upstream_reservation(job_uuid, attempt, month, platform, credential_id, owner, post_reads, user_reads, requests,
       micro_usd, made_ms, account_id) VALUES(?, 1, ?, 'x', 'deployment-credential', 'deployment', 30, 0, 1, 150000, ?, ?)`,
    running,
    month,
    nowMs,
    accountId,
  );
  run("INSERT INTO upstream_account_use VALUES(?, ?, 'x', 20, 0, 1, 100000)", accountId, month);
  run("INSERT INTO usage VALUES(?, 0, ?, 'searchbyquery', 3, 0, 0, 9, '{}')", accountId, keyId);
  run(
    `INSERT INTO key_request(account_id, key_id, at_ms, request_id, method, route, status, duration_ms)
     VALUES(?, ?, ?, 'request', 'GET', '/v1/webhooks', 200, 3)`,
    accountId,
    keyId,
    nowMs,
  );
  run(
    "INSERT INTO sign_in_link(hash, account_id, expires_ms) VALUES(?, ?, ?)",
    randomBytes(32),
    accountId,
    nowMs + 60_000,
  );
  run(
    `INSERT INTO oauth_grant(id, account_id, client_id, client_name, redirect_uri, resource, methods, code_hash, code_challenge,
       created_ms, expires_ms, audit_id)
     VALUES(?, ?, ?, ?, ?, 'https://earshot.example/mcp', '["searchbyquery"]', x'03', 'challenge', ?, ?, ?)`,
    `grant-of-${name}`,
    accountId,
    `https://${name}.example/client.json`,
    `App of ${name}`,
    `https://${name}.example/callback`,
    nowMs,
    nowMs + 60_000,
    `audit-of-${name}`,
  );
  const hashes = [
    "SELECT secret_hash AS hash FROM api_key WHERE account_id = ?",
    "SELECT hash FROM sign_in_link WHERE account_id = ?",
  ].flatMap((sql) => database.prepare(sql).all(accountId));
  const texts = [accountId, name, subject, keyId, webhookId, credentialId, session.id, word];
  const traces = [
    ...[...texts, waiting, running, done].map((text) => Buffer.from(text)),
    ...hashes.map(({ hash }) => readBytes(hash)),
  ];
  return { session, key, waiting, running, done, traces, month };
}

function run(sql: string, ...values: (string | number | Uint8Array)[]): void {
  database.prepare(sql).run(...values);
}

/** Jobs with a method other than `searchbyquery` are never leased in these tests. */
async function submit(
  key: string,
  word: string,
  idempotencyKey: string | null = null,
  method = "searchbyquery",
): Promise<string> {
  const response = await service.call(key, {
    method: "POST",
    url: "/v1/search/live/social",
    payload: search(word, { type: method }),
    headers: idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey },
  });
  return response.json().uuid;
}

const deletion = (session: TestSession, confirm: string) =>
  service.callAs(session, {
    method: "DELETE",
    url: "/dashboard/api/account",
    payload: { confirm },
  });

const problemIn = (run: () => Promise<unknown>): Promise<unknown> =>
  run().then(
    () => null,
    (error: unknown) => (error instanceof EarshotError ? [error.code, error.status] : error),
  );

describe("deleting one's own account", () => {
  test("deleting one's own account removes every row and ends all open work", async () => {
    const ann = await createTenant("annotated", "zanzibarite");
    const bob = await createTenant("bobsleigh", "quokkamole");

    // A new table with account data must be filled above and emptied on deletion.
    const filled = [...rowsWithTraces(ann.traces).keys()];
    expect(filled.toSorted()).toEqual(
      accountTables()
        .filter((table) => !["audit", "node", "attestation"].includes(table))
        .toSorted(),
    );
    const others = rowsWithTraces(bob.traces);
    const reads = () =>
      service.context.store.read("readPostReads", { month: ann.month, platform: "x" });
    expect(await reads()).toBe(60);

    const pending = service.result(ann.key, ann.waiting);
    await service.waitForPending(1);
    expect((await deletion(ann.session, "another name")).json().code).toBe("invalid_request");
    const response = await deletion(ann.session, "annotated");

    expect(response.statusCode).toBe(204);
    expect(response.headers["set-cookie"]).toMatch(/Max-Age=0/i);
    expect((await pending).json().code).toBe("unauthorized");
    expect([...rowsWithTraces(ann.traces)]).toEqual([]);
    expect(rowsWithTraces(bob.traces)).toEqual(others);
    // The account's spending still counts towards the deployment's month.
    expect(await reads()).toBe(60);

    expect((await submitted(ann.key)).statusCode).toBe(401);
    const page = await service.callAs(ann.session, { url: "/dashboard/api/account/audit" });
    expect([page.statusCode, page.json().code]).toEqual([401, "session_needed"]);
    expect((await submitted(bob.key)).statusCode).toBe(202);
  });

  test("an owner who deleted the account gets a new account at the next sign-up", async () => {
    const frida = await service.signIn();
    const { accountId } = frida;
    const identity = database
      .prepare("SELECT subject, login FROM identity WHERE account_id = ?")
      .get(accountId);
    expect((await deletion(frida, String(identity?.login))).statusCode).toBe(204);
    const nowMs = service.clock.now();
    const signedIn = await service.context.store.write("signInIdentity", {
      agent: "a test",
      addressGroup: "127.0.0.1",
      method: "github",
      maxAgeMs: 60_000,
      maxPerAccount: 20,
      nowMs,
      previousSession: null,
      provider: "github",
      subject: String(identity?.subject),
      login: String(identity?.login),
      isOperator: false,
    });
    expect(signedIn).toMatchObject({ kind: "signed_in" });
    expect(signedIn.kind === "signed_in" && signedIn.accountId).not.toBe(accountId);
  });

  test("the deletion of an account is recorded in the audit log without a name", async () => {
    const carla = await createTenant("carpentry", "uvularity");
    await deletion(carla.session, "carpentry");
    const operator = await service.signIn({ role: "operator" });
    const audit = await service.callAs(operator, { url: "/dashboard/api/operator/audit" });
    const entry = audit.json().entries.find((other: Row) => other.action === "account_deleted");
    expect(entry).toMatchObject({ actor: "a deleted account", subject: "a deleted account" });
    expect(audit.body).not.toContain("carpentry");
  });
});

const submitted = (key: string) =>
  service.submit(key, search("comet", { type: "searchbyfullarchive" }));

describe("requests that arrive while an account is deleted", () => {
  test("late results, submissions and webhooks of a deleted account are rejected and leave no rows", async () => {
    const { store, queue, http } = service.context;
    const session = await service.signIn();
    const { accountId } = session;
    const request = {
      platform: "social" as const,
      type: "social" as const,
      method: "searchbyquery" as const,
      query: "vexillology",
      maxResults: 20,
      fromMs: 1,
      toMs: 2,
      asOfMs: 0,
      after: null,
    };
    const job = { accountId, keyId: "k", request, canonicalQuery: "vexillology", warnings: [] };
    const firstJob = await queue.submit(job);
    const lease = await queue.lease({ nodeId: "test", methods: ["searchbyquery"] }, 5_000);
    if (lease?.uuid !== firstJob.uuid) throw new Error("another job was leased");

    const nowMs = service.clock.now();
    await store.write("closeAccount", { accountId, actor: { accountId }, nowMs });
    expect(await problemIn(() => queue.submit(job))).toEqual(["unauthorized", 401]);
    await service.context.accountFinalizer.settle({ id: accountId, ending: "deleted" });

    expect(lease.lostSignal.aborted).toBe(true);
    expect(await problemIn(() => queue.complete(lease.uuid, lease.token, withFetched))).toEqual([
      "lease_lost",
      409,
    ]);
    expect(await problemIn(() => queue.submit(job))).toEqual(["unauthorized", 401]);
    const webhook = { url: "https://example.org/", events: ["job.done" as const] };
    expect(await problemIn(() => http.webhooks.create(accountId, webhook))).toEqual([
      "unauthorized",
      401,
    ]);
    await service.context.http.accounts.write("addUsage", {
      rows: [
        {
          accountId,
          bucketMs: 0,
          keyId: "k",
          method: "",
          calls: 1,
          refused: 0,
          failed: 0,
          posts: 0,
          latencies: "",
        },
      ],
      uses: [],
    });
    await store.write("correctSpending", {
      month: utcMonth(nowMs),
      platform: "x",
      credentialId: "deleted-credential",
      owner: "account",
      accountId,
      amounts: { postReads: 3, userReads: 0, requests: 1, microUsd: 15_000 },
    });
    const texts = [accountId, "vexillology", firstJob.uuid, "deleted-credential"];
    const traces = texts.map((text) => Buffer.from(text));
    expect([...rowsWithTraces(traces)]).toEqual([]);
  });
});

test("deleting an account on the command line ends its jobs and requests in a running server", async () => {
  const emil = await createTenant("emblematic", "yttriferous");
  const pending = service.result(emil.key, emil.waiting);
  await service.waitForPending(1);
  const outcome = await runCommand(["accounts", "delete", "github:emblematic", "--yes"], {
    EARSHOT_DATA_DIR: service.dataDir,
  });
  expect(outcome).toEqual({ code: 0, out: "account emblematic deleted\n", notes: "" });
  expect((await pending).json().code).toBe("unauthorized");
  expect([...rowsWithTraces(emil.traces)]).toEqual([]);
  expect((await submitted(emil.key)).statusCode).toBe(401);
});

test("the write-ahead log contains nothing of a deleted account", async () => {
  const edna = await createTenant("ednamode", "yellowhammers");
  const log = () => readFile(join(service.dataDir, "control.db-wal"));
  expect((await log()).includes("ednamode")).toBe(true);
  await deletion(edna.session, "ednamode");
  await vi.waitFor(async () => {
    const bytes = await log();
    expect(edna.traces.filter((trace) => bytes.includes(trace)).map(String)).toEqual([]);
  }, 5_000);
});

test("the database file contains nothing of a deleted account", async () => {
  const dora = await createTenant("dormouseish", "ziggurats");
  await deletion(dora.session, "dormouseish");
  database.close();
  await service.stop();
  const file = await readFile(join(service.dataDir, "control.db"));
  expect(dora.traces.filter((trace) => file.includes(trace)).map(String)).toEqual([]);
});
