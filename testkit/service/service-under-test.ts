import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import type { NewSession } from "../../src/accounts/sessions/new-session.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { Post } from "../../src/posts/post.ts";
import { configFrom } from "../../src/server/config.ts";
import type { ContextOverrides } from "../../src/server/context.ts";
import { type Service, startService } from "../../src/server/start.ts";
import { databaseSettings } from "../postgres/suite-database.ts";

/** `shiftWall` moves only the wall clock. */
type MovableClock = Clock & { move(ms: number): void; shiftWall(ms: number): void };

export type ServiceUnderTest = Service & {
  clock: MovableClock;
  dataDir: string;
  makeKey(limits?: {
    requestsPerSecond?: number | null;
    submissionsPerMinute?: number | null;
  }): Promise<string>;
  call(key: string | null, options: InjectOptions): Promise<LightMyRequestResponse>;
  signIn(options?: { accountId?: string; role?: "member" | "operator" }): Promise<TestSession>;
  callAs(session: TestSession, options: InjectOptions): Promise<LightMyRequestResponse>;
  submit(key: string, body: unknown, path?: string): Promise<LightMyRequestResponse>;
  result(key: string, uuid: string): Promise<LightMyRequestResponse>;
  /** Waits for this many open lease requests. */
  waitForPending(count: number): Promise<void>;
  addPosts(posts: readonly Post[]): Promise<void>;
  remove(): Promise<void>;
};

export type TestSession = { cookie: string; csrf: string; accountId: string; id: string };

/** By default, runs without ingest, platforms and language detection. */
export async function startServiceUnderTest(
  settings: Readonly<Record<string, string>> = {},
  {
    clock = movableClock(),
    ...overrides
  }: Pick<ContextOverrides, "log" | "upstreams"> & { clock?: ServiceUnderTest["clock"] } = {},
): Promise<ServiceUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), "earshot-test-"));
  const config = configFrom({
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_PORT: "0",
    EARSHOT_LOG_LEVEL: "silent",
    EARSHOT_BLUESKY_PUBLIC: "off",
    EARSHOT_DETECT_LANGUAGE: "off",
    EARSHOT_READERS: "1",
    ...(await databaseSettings()),
    ...settings,
  });
  const service = await startService(config, { ...overrides, clock });
  const { app, context } = service;
  let identityNumber = 1_000_000;

  const call: ServiceUnderTest["call"] = (key, options) =>
    app.inject({
      ...options,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...options.headers,
      },
    });

  const callAs: ServiceUnderTest["callAs"] = ({ cookie, csrf }, options) =>
    app.inject({
      ...options,
      headers: {
        cookie,
        host: "earshot.test",
        origin: config.http.publicUrl ?? "http://earshot.test",
        "sec-fetch-site": "same-origin",
        "x-earshot-csrf": csrf,
        ...options.headers,
      },
    });

  const signIn: ServiceUnderTest["signIn"] = async ({
    accountId: existingAccountId,
    role = "member",
  } = {}) => {
    const { maxAgeMs, maxPerAccount } = config.sessions;
    const newSession = {
      agent: "a test",
      addressGroup: "127.0.0.1",
      maxAgeMs,
      maxPerAccount,
      nowMs: clock.now(),
    };
    const method = "github" as const;
    const signInResult =
      existingAccountId === undefined
        ? await signUp({ ...newSession, method }, role)
        : {
            accountId: existingAccountId,
            session: await context.store.write("startSession", {
              ...newSession,
              method,
              accountId: existingAccountId,
            }),
          };
    const { accountId, session } = signInResult;
    const name = config.http.publicUrl?.startsWith("https:") ? "__Host-earshot" : "earshot";
    const csrf = context.http.dashboard.csrf.tokenFor(session.id);
    return {
      cookie: `${name}=${context.http.dashboard.cookies.printSession(session.token)}`,
      csrf,
      accountId,
      id: session.id,
    };
  };

  async function signUp(newSession: NewSession, role: "member" | "operator") {
    identityNumber += 1;
    const outcome = await context.store.write("signInIdentity", {
      ...newSession,
      previousSession: null,
      provider: "github",
      subject: String(identityNumber),
      login: `person-${identityNumber}`,
      isOperator: role === "operator",
    });
    if (outcome.kind !== "signed_in") throw new Error(outcome.kind);
    return outcome;
  }

  return {
    ...service,
    clock,
    signIn,
    callAs,
    dataDir,
    makeKey: async (limits = {}) => {
      const { requestsPerSecond = 1_000_000, submissionsPerMinute = 1_000_000 } = limits;
      const key = await context.store.write("createKey", {
        name: "test",
        accountName: null,
        requestsPerSecond,
        submissionsPerMinute,
        nowMs: clock.now(),
      });
      return key.token;
    },
    call,
    submit: (key, body, path = "/v1/search/live/social") =>
      call(key, {
        method: "POST",
        url: path,
        headers: { "content-type": "application/json" },
        payload: typeof body === "string" ? body : JSON.stringify(body),
      }),
    result: (key, uuid) =>
      call(key, { method: "GET", url: `/v1/search/live/social/result/${uuid}?wait=30` }),
    waitForPending: async (count) => {
      const line = new RegExp(`^earshot_waiting_requests ${count}$`, "m");
      while (!line.test(await context.http.metrics.text())) await setImmediate();
    },
    addPosts: async (posts) => {
      await context.archive.write({
        changes: posts.map((post) => ({ kind: "upsert" as const, post })),
      });
    },
    remove: async () => {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export function search(query: string, extraArguments: Record<string, unknown> = {}) {
  return { type: "social", arguments: { type: "searchbyquery", query, ...extraArguments } };
}

export function movableClock(): MovableClock {
  let aheadMs = 0;
  let wallShiftMs = 0;
  return {
    now: () => systemClock.now() + aheadMs + wallShiftMs,
    elapsed: () => systemClock.elapsed() + aheadMs,
    sleep: systemClock.sleep,
    move: (ms) => {
      aheadMs += ms;
    },
    shiftWall: (ms) => {
      wallShiftMs += ms;
    },
  };
}
