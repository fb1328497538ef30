import { describe, expect, test } from "vitest";
import { bitmapSet, emptySet, listSet } from "./chunk-set.ts";
import { createScratch } from "./scratch.ts";

describe("result buffers", () => {
  test("result buffers are reused after their release, except that of the retained set", () => {
    const scratch = createScratch();
    const [first, , third] = [scratch.take(), scratch.take(), scratch.take()];
    scratch.release(1, listSet(third.list, 1));
    expect(scratch.used()).toBe(2);
    expect([first, third]).not.toContain(scratch.take());
    scratch.release(0, emptySet);
    expect(scratch.used()).toBe(0);
    expect(scratch.take()).toBe(first);
  });

  test("result buffers of a retained result are not reused until it is released too", () => {
    const scratch = createScratch();
    const kept = [scratch.take(), scratch.take()].at(-1);
    scratch.release(0, listSet(kept?.list ?? new Uint16Array(0), 1));
    for (let each = 0; each < 3; each++) expect(scratch.take()).not.toBe(kept);
    scratch.release(0, emptySet);
    expect(scratch.take()).toBe(kept);
  });

  test("result buffers can retain bitmaps", () => {
    const scratch = createScratch();
    const [first, second] = [scratch.take(), scratch.take()];
    scratch.release(0, bitmapSet(second.bits, 1));
    expect(scratch.used()).toBe(1);
    expect(scratch.take()).toBe(first);
  });

  test("result buffers are all released if the set is in an earlier buffer, or in none", () => {
    const scratch = createScratch();
    const first = scratch.take();
    scratch.take();
    scratch.release(1, listSet(first.list, 1));
    expect(scratch.used()).toBe(1);
  });
});
