import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import type { Post } from "../../src/posts/post.ts";
import { configFrom } from "../../src/server/config.ts";
import type { ContextOverrides } from "../../src/server/context.ts";
import { type Service, startService } from "../../src/server/start.ts";

/** A clock that runs with the real one and can be moved ahead, or its wall clock alone, ahead or back. */
type MovableClock = Clock & { move(ms: number): void; shiftWall(ms: number): void };

export type ServiceUnderTest = Service & {
  clock: MovableClock;
  dataDir: string;
  /** A fresh key, an account of its own; unless told otherwise its rates are out of the way. */
  makeKey(limits?: {
    requestsPerSecond?: number | null;
    submissionsPerMinute?: number | null;
  }): Promise<string>;
  call(key: string | null, options: InjectOptions): Promise<LightMyRequestResponse>;
  /** Submits a search; fills in what a test does not care for. */
  submit(key: string, body: unknown, path?: string): Promise<LightMyRequestResponse>;
  /** The result after the job has ended. */
  result(key: string, uuid: string): Promise<LightMyRequestResponse>;
  /** Resolves when so many requests are held. */
  waitForHeld(requests: number): Promise<void>;
  addPosts(posts: readonly Post[]): Promise<void>;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
};

/** The real service in a folder of its own, without live ingestion, and no platform is asked. */
export async function startServiceUnderTest(
  settings: Readonly<Record<string, string>> = {},
  overrides: Pick<ContextOverrides, "log" | "upstreams"> = {},
): Promise<ServiceUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), "earshot-test-"));
  const clock = movableClock();
  const config = configFrom({
    EARSHOT_DATA_DIR: dataDir,
    EARSHOT_INGEST: "off",
    EARSHOT_PORT: "0",
    EARSHOT_LOG_LEVEL: "silent",
    EARSHOT_BLUESKY_PUBLIC: "off",
    ...settings,
  });
  const service = await startService(config, { ...overrides, clock });
  const { app, context } = service;

  const call: ServiceUnderTest["call"] = (key, options) =>
    app.inject({
      ...options,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...options.headers,
      },
    });

  return {
    ...service,
    clock,
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
    waitForHeld: async (requests) => {
      const line = new RegExp(`^earshot_held_requests ${requests}$`, "m");
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

/** A submission's body. */
export function search(query: string, more: Record<string, unknown> = {}) {
  return { type: "social", arguments: { type: "searchbyquery", query, ...more } };
}

function movableClock(): MovableClock {
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
