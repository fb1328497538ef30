import { expect, test } from "vitest";
import { makePost } from "../../testkit/data/make-post.ts";
import { keyOf, pageOf, type SentItem } from "./upstream-page.ts";

const nowMs = Date.UTC(2026, 0, 2);
const options = { name: "Bluesky", next: "more", nowMs };
const post = (key: string, ageMs: number): SentItem & { kind: "post" } => ({
  kind: "post",
  post: makePost({ key, createdMs: nowMs - ageMs, seenMs: nowMs }),
});

test("a page holds each item once, and says whether one came again", () => {
  const one = post("one", 1);
  const page = pageOf([one, post("two", 2), one], options);
  expect(page.items.map(keyOf)).toEqual([keyOf(one), keyOf(post("two", 2))]);
  expect(page.hasRepeats).toBe(true);
  expect(Object.keys(pageOf([one], options))).toEqual(["items", "next"]);
});

test("a page tells how much was sent and how far that reaches where some is left out", () => {
  const times = { createdMs: nowMs - 9, seenMs: nowMs };
  const page = pageOf(
    [post("one", 1), { kind: "withheld", times }, { kind: "withheld", times: null }],
    options,
  );
  expect(page).toMatchObject({ received: 3, oldestMs: nowMs - 9 });
  expect(page.remarks).toBeUndefined();
});

test("a page tells how many items could not be read, beside what else is to be said of it", () => {
  const warning = { code: "partial_view", message: "not all" };
  const page = pageOf([{ kind: "unreadable" }, { kind: "unreadable" }], {
    ...options,
    remarks: [warning],
  });
  expect(page).toEqual({
    items: [],
    next: "more",
    received: 2,
    remarks: [
      warning,
      {
        code: "unreadable_items",
        message: "2 of the items that Bluesky answered with could not be read and are left out",
        isPartial: true,
      },
    ],
  });
});
