import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ServiceUnderTest,
  search,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";
import type { KnownFolder } from "../fixtures/known-folder.ts";

/** Releases with stored data folders; see test/fixtures/make-data-folder.ts. */
const releases = ["f8f1f27", "9ffe52f"];

/** Keeps old data from expiring. */
const longMs = "36500d";

describe.each(releases)("a data folder of %s", (release) => {
  const folder = mkdtempSync(join(tmpdir(), "earshot-upgrade-"));
  let known: KnownFolder;
  let service: ServiceUnderTest;

  beforeAll(async () => {
    const packed = join(import.meta.dirname, `../fixtures/data-folder-${release}.tar.gz`);
    execFileSync("tar", ["-xzf", packed, "-C", folder]);
    known = JSON.parse(readFileSync(join(folder, "known.json"), "utf8"));
    const settings = {
      EARSHOT_DATA_DIR: join(folder, "data"),
      EARSHOT_JOB_RETENTION: longMs,
      EARSHOT_IDEMPOTENCY_RETENTION: longMs,
      EARSHOT_WEBHOOK_RETENTION: longMs,
      EARSHOT_SESSION_IDLE: longMs,
    };
    service = await startServiceUnderTest(settings);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  const listIds = (records: { ID: string }[]) => records.map(({ ID }) => ID);
  /** The time part of IDs; no two posts share a millisecond. */
  const listTimes = (ids: readonly string[]) => ids.map((id) => BigInt(id) >> 22n);

  async function page(uuid: string) {
    const response = await service.result(known.key, uuid);
    expect(response.statusCode, response.body).toBe(200);
    return { ids: listIds(response.json()), cursor: response.headers["x-next-cursor"] };
  }

  async function submit(args: { query: string; max_results: number }, cursor?: unknown) {
    const { query, ...more } = args;
    const continued = cursor === undefined ? {} : { next_cursor: cursor };
    const response = await service.submit(known.key, search(query, { ...more, ...continued }));
    expect(response.statusCode, response.body).toBe(202);
    return await page(response.json().uuid);
  }

  async function pagesFrom(args: KnownFolder["pages"][number]["args"], cursor: unknown) {
    const ids: string[] = [];
    for (let next = cursor; next !== undefined; ) {
      const answer = await submit({ ...args, max_results: 50 }, next);
      ids.push(...answer.ids);
      next = answer.cursor;
    }
    return ids;
  }

  test("an upgraded data folder finishes jobs in flight, each with its first page", async () => {
    const expected = known.pages.find(({ args }) => args.query === "comet");
    for (const uuid of known.inFlight) {
      const { ids, cursor } = await page(uuid);
      expect(listTimes(ids)).toEqual(listTimes(expected?.ids ?? []));
      expect(cursor).toEqual(expect.any(String));
    }
  });

  test("results in an upgraded data folder continue to all further pages, from new and from earlier cursors", async () => {
    for (const { uuid, args, cursor, ids, all } of known.pages) {
      const first = await page(uuid);
      expect(first.ids).toEqual(ids);
      const rest = listTimes(all.slice(ids.length));
      expect(listTimes(await pagesFrom(args, first.cursor))).toEqual(rest);
      expect(listTimes(await pagesFrom(args, cursor))).toEqual(rest);
    }
  });

  test("the archive of an upgraded data folder returns the same posts", async () => {
    for (const { args, all } of known.pages) {
      expect(listTimes((await submit({ ...args, max_results: 500 })).ids)).toEqual(listTimes(all));
    }
  });

  test("an upgraded data folder finds posts by their former IDs", async () => {
    const [first] = known.pages;
    if (first === undefined) throw new Error("no page");
    const former = first.all;
    const { ids } = await submit({ ...first.args, max_results: 500 });
    expect(ids).not.toEqual(former);
    for (const [index, id] of former.entries()) {
      if (index % 12 !== 0) continue;
      const requested = { type: "social", arguments: { type: "getbyid", query: id } };
      const response = await service.submit(known.key, requested);
      expect(response.statusCode, response.body).toBe(202);
      expect(await page(response.json().uuid)).toMatchObject({ ids: [ids[index]] });
    }
  });

  test("an upgraded data folder lists every job with its status", async () => {
    const jobs: { uuid: string }[] = [];
    for (let before = ""; ; ) {
      const url = `/v1/search/live/social/jobs?limit=100${before}`;
      const response = await service.call(known.key, { method: "GET", url });
      expect(response.statusCode, response.body).toBe(200);
      const { jobs: listed, next_cursor: next } = response.json();
      jobs.push(...listed);
      if (next === null || next === "") break;
      before = `&cursor=${encodeURIComponent(next)}`;
    }
    const uuids = [...known.inFlight, ...known.pages.map(({ uuid }) => uuid)];
    expect(jobs.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(uuids));
    for (const uuid of uuids) {
      const url = `/v1/search/live/social/status/${uuid}`;
      const response = await service.call(known.key, { method: "GET", url });
      expect(response.json(), response.body).toMatchObject({ uuid, status: "done" });
    }
  });

  test("webhooks, idempotency keys and sessions of an upgraded data folder work", async () => {
    const { more, key } = known;
    if (more === null) return;
    const url = `/v1/webhooks/${more.webhook}`;
    expect((await service.call(key, { method: "GET", url })).json()).toMatchObject({
      id: more.webhook,
    });
    const deliveries = await service.call(key, { method: "GET", url: `${url}/deliveries` });
    expect(deliveries.json().deliveries.length, deliveries.body).toBeGreaterThan(0);
    const { args, uuid } = more.idempotency;
    const { query, ...rest } = args;
    const repeated = await service.call(key, {
      method: "POST",
      url: "/v1/search/live/social",
      headers: { "content-type": "application/json", "idempotency-key": more.idempotency.key },
      payload: JSON.stringify(search(query, rest)),
    });
    expect(repeated.json(), repeated.body).toMatchObject({ uuid });
    const session = await service.call(null, {
      method: "GET",
      url: "/dashboard/api/session",
      headers: { cookie: more.cookie, "sec-fetch-site": "same-origin" },
    });
    expect(session.json().signed_in, session.body).toMatchObject({ csrf: expect.any(String) });
  });
});
