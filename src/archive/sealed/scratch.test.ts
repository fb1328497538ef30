import { describe, expect, test } from "vitest";
import { bitmapSet, listSet } from "./chunk-set.ts";
import { createScratch } from "./scratch.ts";

describe("result buffers", () => {
  test("result buffers are reused after their release, except the one with the retained set", () => {
    const scratch = createScratch();
    const [first, , third] = [scratch.acquire(), scratch.acquire(), scratch.acquire()];
    scratch.releaseExcept(1, listSet(third.list, 1));
    expect(scratch.mark()).toBe(2);
    expect([first, third]).not.toContain(scratch.acquire());
    scratch.release(0);
    expect(scratch.mark()).toBe(0);
    expect(scratch.acquire()).toBe(first);
  });

  test("the buffer of a retained set is not reused until it is released too", () => {
    const scratch = createScratch();
    const retained = [scratch.acquire(), scratch.acquire()].at(-1);
    scratch.releaseExcept(0, listSet(retained?.list ?? new Uint16Array(0), 1));
    for (let value = 0; value < 3; value++) expect(scratch.acquire()).not.toBe(retained);
    scratch.release(0);
    expect(scratch.acquire()).toBe(retained);
  });

  test("the buffer of a bitmap can be retained", () => {
    const scratch = createScratch();
    const [first, second] = [scratch.acquire(), scratch.acquire()];
    scratch.releaseExcept(0, bitmapSet(second.bits, 1));
    expect(scratch.mark()).toBe(1);
    expect(scratch.acquire()).toBe(first);
  });

  test("all buffers after the mark are released if the retained set is in an earlier one", () => {
    const scratch = createScratch();
    const first = scratch.acquire();
    scratch.acquire();
    scratch.releaseExcept(1, listSet(first.list, 1));
    expect(scratch.mark()).toBe(1);
  });
});
