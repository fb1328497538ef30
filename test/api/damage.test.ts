import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { withFileStore } from "../../testkit/postgres/suite-database.ts";
import {
  type ServiceUnderTest,
  startServiceUnderTest,
} from "../../testkit/service/service-under-test.ts";

let service: ServiceUnderTest;
let key: string;
let coveredToMs: number;
const hourMs = 3_600_000;
const logged: unknown[] = [];

beforeEach(async () => {
  logged.length = 0;
  service = await startServiceUnderTest();
  service.context.log.error = (fields: unknown) => logged.push(fields);
  key = await service.makeKey();
  const nowMs = service.clock.now();
  coveredToMs = nowMs;
  await service.addPosts(
    [1, 2, 3].map((n) =>
      makePost({ key: `${n}`, createdMs: nowMs - n * hourMs, text: `comet ${n}`, seenMs: null }),
    ),
  );
  const covered = { fromMs: nowMs - 30 * 24 * hourMs, toMs: nowMs };
  await service.context.archive.write({
    changes: [],
    coverage: [
      { platform: "bluesky", collection: "posts", account: null, source: "import", ...covered },
    ],
  });
});
afterEach(() => service.remove());

/** Damages the second-newest post. */
function damageSecond(sql: string): void {
  const database = new DatabaseSync(join(service.dataDir, "archive", "bluesky", "000001.db"));
  database.exec(sql.replaceAll("$id", "(SELECT id FROM post ORDER BY id DESC LIMIT 1 OFFSET 1)"));
  database.close();
}

async function getUuid(query: string): Promise<string> {
  const requested = { type: "searchbyquery", query, end_time: new Date(coveredToMs - 1_000) };
  const body = { type: "social", arguments: requested };
  return (await service.submit(key, body, "/v1/search/live/bluesky")).json().uuid;
}

const status = async (uuid: string) =>
  (await service.call(key, { method: "GET", url: `/v1/search/live/social/status/${uuid}` })).json();

withFileStore(
  "a page omits a damaged record, is marked incomplete, and reports the record's time as a gap",
  async () => {
    const uuid = await getUuid("comet");
    const whole = await service.result(key, uuid);
    expect(whole.json()).toHaveLength(3);
    expect(whole.headers["x-coverage"]).toMatch(/^complete,/);

    damageSecond("UPDATE post SET record = substr(record, 2) WHERE id = $id");
    // The page was cached before this commit.
    await service.addPosts([makePost({ key: "4", createdMs: coveredToMs, text: "moon" })]);
    const page = await service.result(key, uuid);
    expect(page.statusCode).toBe(200);
    expect(page.json().map(({ Content }: { Content: string }) => Content)).toEqual([
      "comet 1",
      "comet 3",
    ]);
    expect(page.headers["x-coverage"]).toMatch(/complete=\?0.*gaps=1/);
    expect(page.headers["x-warnings"]).toContain('"archive_damaged"');
    expect(logged).toMatchObject([
      { segment: "bluesky/1", repair: "earshot archive reindex --segment bluesky/1" },
    ]);
    const metrics = await service.context.metrics.text();
    expect(metrics).toMatch(/^earshot_archive_damaged_answers_total 1$/m);
  },
);

test.for([
  ["does not match its checksum", "UPDATE post SET likes = 9 WHERE id = $id"],
  ["is lost", "DELETE FROM post WHERE id = $id"],
])(
  "a search that has to read a row that %s is incomplete and reports the row's time as a gap",
  async ([, sql = ""]) => {
    damageSecond(sql);
    const uuid = await getUuid("comet min_faves:0 -min_faves:7");
    await service.result(key, uuid);
    const { complete, coverage, warnings, count } = await status(uuid);
    expect({ complete, count }).toEqual({ complete: false, count: 2 });
    expect(coverage.gaps).toHaveLength(1);
    const [{ from, to }] = coverage.gaps;
    const postMs = service.clock.now() - 2 * hourMs;
    expect(Math.abs(Date.parse(from) - postMs)).toBeLessThan(60_000);
    expect(Math.abs(Date.parse(to) - postMs)).toBeLessThan(60_000);
    expect(warnings.map(({ code }: { code: string }) => code)).toContain("archive_damaged");
  },
);

test("a later deletion of a post leaves its page complete", async () => {
  const uuid = await getUuid("comet");
  await service.result(key, uuid);
  const { uri } = makePost({ key: "2" });
  await service.context.archive.write({
    changes: [{ kind: "delete", platform: "bluesky", uri, revision: "" }],
  });
  const page = await service.result(key, uuid);
  expect(page.json()).toHaveLength(2);
  expect(page.headers["x-coverage"]).toMatch(/^complete,/);
  expect(page.headers["x-warnings"]).toBeUndefined();
});

test("counts that depend on a damaged row are incomplete", async () => {
  damageSecond("UPDATE post SET likes = 9 WHERE id = $id");
  const url = `/v1/search/social/counts?query=${encodeURIComponent("comet -min_faves:7")}`;
  const answer = (await service.call(key, { method: "GET", url })).json();
  expect(answer.complete).toBe(false);
  expect(answer.warnings.map(({ code }: { code: string }) => code)).toContain("archive_damaged");
});
