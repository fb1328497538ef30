import { expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { itemKey, itemsPage, type PageItem } from "./upstream-page.ts";

const nowMs = Date.UTC(2026, 0, 2);
const options = { name: "Bluesky", next: "more", nowMs };
const post = (key: string, ageMs: number): PageItem & { kind: "post" } => ({
  kind: "post",
  post: makePost({ key, createdMs: nowMs - ageMs, seenMs: nowMs }),
});

test("the items on an upstream page are distinct, and the page reports whether any were repeated", () => {
  const one = post("one", 1);
  const page = itemsPage([one, post("two", 2), one], options);
  expect(page.items.map(itemKey)).toEqual([itemKey(one), itemKey(post("two", 2))]);
  expect(page.hasRepeats).toBe(true);
  expect(Object.keys(itemsPage([one], options))).toEqual(["items", "next"]);
});

test("an upstream page reports how many items were received and the oldest time if some are omitted", () => {
  const times = { createdMs: nowMs - 9, seenMs: nowMs };
  const page = itemsPage(
    [post("one", 1), { kind: "omitted", timestamps: times }, { kind: "omitted", timestamps: null }],
    options,
  );
  expect(page).toMatchObject({ received: 3, oldestMs: nowMs - 9 });
  expect(page.warnings).toBeUndefined();
});

test("an upstream page reports how many items were unreadable, in addition to other warnings", () => {
  const warning = { code: "partial_view", message: "not all" };
  const page = itemsPage([{ kind: "unreadable" }, { kind: "unreadable" }], {
    ...options,
    warnings: [warning],
  });
  expect(page).toEqual({
    items: [],
    next: "more",
    received: 2,
    warnings: [
      warning,
      {
        code: "unreadable_items",
        message: "2 items from Bluesky could not be parsed and are missing",
        isPartial: true,
      },
    ],
  });
});
