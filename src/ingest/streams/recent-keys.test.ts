import { describe, expect, test } from "vitest";
import { createRecentKeys } from "./recent-keys.ts";

const keys = (capacity: number) => createRecentKeys(capacity, () => 0.42);

describe("recent keys", () => {
  test("recently added keys are recognised, and a new key is not", () => {
    const recent = keys(1_000);
    const added = Array.from({ length: 1_000 }, (_unused, n) => `key ${n}`);
    expect(added.map((key) => recent.add(key))).not.toContain(false);
    expect(added.map((key) => recent.add(key))).not.toContain(true);
    expect(recent.add("key 1000")).toBe(true);
  });

  test.each([1, 2, 3, 7, 100])("none of the last %i keys is forgotten", (capacity) => {
    const recent = keys(capacity);
    const added: number[] = [];
    const forgotten: number[] = [];
    for (let n = 0; n < capacity * 20; n += 1) {
      if (recent.add(`key ${n}`)) added.push(n);
      for (let back = 0; back < capacity && back <= n; back += 1) {
        if (recent.add(`key ${n - back}`)) forgotten.push(n - back);
      }
    }
    expect(added).toHaveLength(capacity * 20);
    expect(forgotten).toEqual([]);
  });

  test("old keys are forgotten: at most twice the limit are remembered", () => {
    const recent = keys(100);
    for (let n = 0; n < 201; n += 1) recent.add(`key ${n}`);
    expect(recent.add("key 0")).toBe(true);
  });
});
