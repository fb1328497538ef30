import { expect, test } from "vitest";
import { decryptCursor } from "../../jobs/cursor.ts";
import { systemClock } from "../../lib/clock.ts";
import { makeAnswerPage } from "./page.ts";
import { pageWith } from "./test-page.ts";

const cursorKey = new Uint8Array(32);
const everything = { fields: null, maxChars: null };

function readPage(
  records: readonly object[],
  presentation: Partial<typeof everything | { maxChars: number }>,
) {
  const { job, result } = pageWith([]);
  const items = records.map((_, index) => ({ platform: "x" as const, id: BigInt(9 - index) }));
  const next = { platform: "x" as const, id: 1n };
  const archive = {
    records: async () => ({
      records: records.map((record) => JSON.stringify(record)),
      damage: [],
    }),
    withheld: async () => [],
  };
  return makeAnswerPage(
    { archive, cursorKey, clock: systemClock },
    job,
    { ...result, items, next },
    {
      ...everything,
      ...presentation,
    },
  );
}

function positionAfter({ nextCursor }: Awaited<ReturnType<typeof readPage>>) {
  const { accountId, canonicalQuery, request } = pageWith([]).job;
  return decryptCursor(cursorKey, nextCursor ?? "", { accountId, canonicalQuery, ...request })
    .after;
}

const makeRecord = (id: number, Metadata: object | null) => ({
  ID: String(id),
  Content: `${id} `.repeat(50),
  Metadata,
  Score: 1,
});

test("an unshortened record is the stored text, regardless of the order of its members", async () => {
  const record = { Score: 1, Metadata: null, Content: "a", ID: "9" };
  const page = await readPage([record], {});
  expect(page.posts[0]?.json).toBe(JSON.stringify(record));
  expect(positionAfter(page)).toEqual({ platform: "x", id: 1n });
});

test.each([null, { platform: "x" }])(
  "the next page continues at the omitted records, for metadata %j",
  async (metadata) => {
    const records = [9, 8, 7].map((id) => makeRecord(id, metadata));
    const page = await readPage(records, { maxChars: 200 });
    expect(page.posts.map(({ record }) => record.ID)).toEqual(["9", "8"]);
    expect(page.omitted).toBe(1);
    expect(positionAfter(page)).toEqual({ platform: "x", id: 8n });
  },
);
