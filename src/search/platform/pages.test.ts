import fc from "fast-check";
import { expect, test } from "vitest";
import { makePost } from "../../../testkit/data/make-post.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { UpstreamItem, UpstreamPage } from "../../platforms/upstream.ts";
import { itemKey, itemsPage } from "../../platforms/upstream-page.ts";
import { isUntruncated } from "../merge/completeness.ts";
import { firstPage, lastItemKey, type PageReading, readPages } from "./pages.ts";

const item = (key: number): UpstreamItem => ({
  kind: "post",
  post: makePost({ key: `post${key}` }),
});
const keys = (items: readonly UpstreamItem[]) => items.map(itemKey);

async function readWith(
  page: (call: number, cursor: string | null) => UpstreamPage,
  overrides: Partial<PageReading> = {},
) {
  let calls = 0;
  const result = await readPages({
    read: async (cursor) => page(calls++, cursor),
    start: firstPage,
    limit: 100,
    maxPages: 20,
    name: "bluesky",
    ...overrides,
  });
  return { ...result, isWhole: isUntruncated(result.warnings) };
}

test("the pages of a platform are read until the last", async () => {
  const pages = [
    { items: [item(1), item(2)], next: "b" },
    { items: [], next: "c" },
    { items: [item(3)], next: null },
  ];
  const result = await readWith((call) => pages[call] ?? { items: [], next: null });
  expect(keys(result.items)).toEqual(keys([item(1), item(2), item(3)]));
  expect(result).toMatchObject({ isWhole: true, position: null, warnings: [] });
});

test("an item repeated across pages is returned once, and makes the reading partial", async () => {
  const pages = [
    { items: [item(1), item(2), item(1)], next: "b" },
    { items: [item(2), item(3)], next: null },
  ];
  const result = await readWith((call) => pages[call] ?? { items: [], next: null });
  expect(keys(result.items)).toEqual(keys([item(1), item(2), item(3)]));
  expect(result).toMatchObject({ isWhole: false, position: null });
  expect(result.warnings).toMatchObject([{ code: "upstream_repeats" }]);
});

test("an item repeated within a page makes the reading partial", async () => {
  const pageItems = [item(1), item(2), item(1)];
  const result = await readWith(() =>
    itemsPage(pageItems, { name: "bluesky", next: null, nowMs: 0 }),
  );
  expect(keys(result.items)).toEqual(keys([item(1), item(2)]));
  expect(result).toMatchObject({ isWhole: false });
});

test("unreadable items make the reading partial", async () => {
  const pageItems = [item(1), { kind: "unreadable" } as const];
  const result = await readWith(() =>
    itemsPage(pageItems, { name: "bluesky", next: null, nowMs: 0 }),
  );
  expect(result).toMatchObject({ isWhole: false, warnings: [{ code: "unreadable_items" }] });
});

test("a cyclic cursor ends the reading with a warning", async () => {
  const result = await readWith((call) => ({
    items: [item(call)],
    next: call % 2 === 0 ? "a" : "b",
  }));
  expect(result).toMatchObject({ isWhole: false, position: null });
  expect(result.items).toHaveLength(3);
  expect(result.warnings).toMatchObject([{ code: "upstream_repeats" }]);
});

test("empty pages end a reading, which can be continued after them", async () => {
  const page = (call: number) => ({
    items: call === 3 ? [item(1)] : [],
    next: call === 3 ? null : String(call),
  });
  const result = await readWith(page);
  expect(result).toMatchObject({ items: [], isWhole: false, position: { cursor: "2" } });
  expect(result.warnings).toMatchObject([{ code: "upstream_empty_pages" }]);
  const continuation = await readWith(() => page(3), { start: { ...firstPage, cursor: "2" } });
  expect(keys(continuation.items)).toEqual(keys([item(1)]));
});

test("a page that repeats under other cursors ends the reading permanently", async () => {
  const pages: Omit<UpstreamPage, "next">[] = [
    { items: [item(1), item(2)] },
    { items: [item(1)], received: 40, oldestMs: 7 },
    { items: [], received: 40, oldestMs: 7 },
  ];
  for (const page of pages) {
    let calls = 0;
    const result = await readWith((call) => {
      calls += 1;
      return { ...page, next: String(call) };
    });
    expect(result).toMatchObject({ items: page.items, isWhole: false, position: null });
    expect(result.warnings).toMatchObject([{ code: "upstream_repeats" }]);
    expect(calls).toBe(4);
  }
});

test("reading continues past filtered pages to those with items to show", async () => {
  const emptyPage = (call: number) => ({ items: [], received: 40, oldestMs: -call });
  const filteredResult = await readWith((call) =>
    call < 9 ? { ...emptyPage(call), next: String(call) } : { items: [item(1)], next: null },
  );
  expect(filteredResult).toMatchObject({ isWhole: true, position: null, warnings: [] });
  expect(keys(filteredResult.items)).toEqual(keys([item(1)]));
  const boundedResult = await readWith((call) => ({ ...emptyPage(call), next: String(call) }), {
    maxPages: 5,
  });
  expect(boundedResult).toMatchObject({ items: [], isWhole: false, position: { cursor: "4" } });
  expect(boundedResult.warnings).toMatchObject([{ code: "page_limit_reached" }]);
});

test("an endless list of pages is read up to the page limit", async () => {
  const endlessResult = await readWith((call) => ({ items: [item(call)], next: String(call) }), {
    maxPages: 5,
  });
  expect(endlessResult.items).toHaveLength(5);
  expect(endlessResult).toMatchObject({ isWhole: false, position: { cursor: "4" } });
  expect(endlessResult.warnings).toMatchObject([{ code: "page_limit_reached" }]);
});

test("an error after the first page returns what was read and where to continue, and one on the first page is thrown", async () => {
  const error = new EarshotError("upstream_failed", "pds.example answers with status 500");
  const failingFrom = (first: number) =>
    readWith((call) => {
      if (call >= first) throw error;
      return { items: [item(call)], next: `page ${call + 1}` };
    });
  const result = await failingFrom(2);
  expect(result).toMatchObject({ isWhole: false, position: { cursor: "page 2" } });
  expect(result.items).toHaveLength(2);
  expect(result.warnings[0]?.message).toContain("pds.example");
  await expect(failingFrom(0)).rejects.toBe(error);
});

test("readings of any size, each continuing the previous one, yield every item once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 5 }),
      async (sizes, limit) => {
        let count = 0;
        const pages = sizes.map(
          (size, index): UpstreamPage => ({
            items: Array.from({ length: size }, () => item(count++)),
            next: index === sizes.length - 1 ? null : String(index + 1),
          }),
        );
        const found: UpstreamItem[] = [];
        let start = firstPage;
        for (;;) {
          const result = await readPages({
            read: async (cursor) => pages[Number(cursor ?? 0)] ?? { items: [], next: null },
            start,
            limit,
            maxPages: 20,
            name: "x",
          });
          expect(result.items.length).toBeLessThanOrEqual(limit);
          found.push(...result.items);
          if (result.position === null) break;
          start = result.position;
        }
        expect(keys(found)).toEqual(keys(pages.flatMap(({ items }) => items)));
      },
    ),
    {
      examples: [
        [[3, 0, 2], 2],
        [[0, 0, 1], 1],
        [[1, 0, 0, 0, 0, 2], 2],
      ],
    },
  );
});

test("if the last returned item was deleted, reading skips as many items as were returned", async () => {
  const start = { cursor: null, lastKey: lastItemKey(item(9)), skip: 1 };
  const result = await readWith(() => ({ items: [item(1), item(2)], next: null }), { start });
  expect(keys(result.items)).toEqual(keys([item(2)]));
});
