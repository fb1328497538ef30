import { expect, test } from "vitest";
import { createTermCache } from "./term-cache.ts";

function makeCache(bytes: number, cache = createTermCache(10_000)) {
  const made: string[] = [];
  const grows = new Map<string, (bytes: number) => void>();
  const entries = cache.open<string>();
  const get = (key: string): string =>
    entries.get(key, (grow) => {
      made.push(key);
      grows.set(key, grow);
      grow(bytes);
      return `value of ${key}`;
    });
  return { cache, made, grows, entries, get };
}

test("the term cache does not rebuild a cached value", () => {
  const { get, made } = makeCache(100);
  expect(get("a")).toBe("value of a");
  expect(get("a")).toBe("value of a");
  expect(made).toEqual(["a"]);
});

test("the term cache evicts the least recently used entry", () => {
  const { get, made } = makeCache(3_000);
  for (const key of ["a", "b", "c", "a", "b", "d"]) get(key);
  for (const key of ["a", "b", "d"]) get(key);
  expect(made).toEqual(["a", "b", "c", "d"]);
  get("c");
  get("a");
  expect(made).toEqual(["a", "b", "c", "d", "c", "a"]);
});

test("the term cache does not evict recently used entries from the start, the middle or the end of its list", () => {
  const { get, made } = makeCache(3_000);
  for (const key of ["a", "b", "c", "b", "a", "a", "c", "d"]) get(key);
  expect(made).toEqual(["a", "b", "c", "d"]);
  for (const key of ["a", "c", "d"]) get(key);
  expect(made).toEqual(["a", "b", "c", "d"]);
  get("b");
  expect(made.at(-1)).toBe("b");
});

test("the term cache counts the size of entries even if their values are empty", () => {
  const { get, made } = makeCache(0);
  for (let n = 0; n < 1_000; n++) get(`missing ${n}`);
  made.length = 0;
  for (let n = 999; n >= 970; n--) get(`missing ${n}`);
  expect(made).toEqual([]);
  for (let n = 900; n >= 0; n--) get(`missing ${n}`);
  expect(made).toHaveLength(901);
});

test("when a value grows, the term cache evicts other values, and finally the value itself", () => {
  const { get, made, grows } = makeCache(100);
  for (const key of ["a", "b", "c"]) get(key);
  grows.get("b")?.(9_000);
  for (const key of ["b", "c"]) get(key);
  expect(made).toEqual(["a", "b", "c"]);
  grows.get("b")?.(9_000);
  get("b");
  expect(made).toEqual(["a", "b", "c", "b"]);
  for (const key of ["d", "e", "f", "b"]) get(key);
  expect(made).toEqual(["a", "b", "c", "b", "d", "e", "f"]);
});

test("the term cache counts neither the values of a closed index nor their growth", () => {
  const { get, made, grows, entries } = makeCache(4_000);
  get("a");
  get("b");
  entries.close();
  grows.get("a")?.(5_000);
  for (const key of ["c", "d", "c", "d"]) get(key);
  expect(made).toEqual(["a", "b", "c", "d"]);
});

test("indexes share the bytes of the term cache, but not the keys, and are closed separately", () => {
  const cache = createTermCache(10_000);
  const one = makeCache(4_000, cache);
  const other = makeCache(4_000, cache);
  one.get("a");
  other.get("a");
  expect([one.made, other.made]).toEqual([["a"], ["a"]]);
  other.get("b");
  one.get("a");
  expect(one.made).toEqual(["a", "a"]);
  other.entries.close();
  one.get("a");
  expect(one.made).toEqual(["a", "a"]);
});
