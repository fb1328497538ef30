import { expect, test } from "vitest";
import { matchingItems, paletteItems } from "./palette-items.ts";

const items = paletteItems({
  pages: [
    { path: "/keys", title: "Keys" },
    { path: "/audit", title: "Audit log" },
  ],
  searches: [{ address: "/playground?q=turkeys", query: "turkeys", atMs: 1, isSaved: false }],
  keys: [{ id: "a", name: "laptop" }],
});
const readTitles = (text: string) => matchingItems(items, text).map(({ title }) => title);

test("the palette lists titles that start with the text before others that contain it", () => {
  expect(readTitles("key")).toEqual(["Keys", "turkeys", "laptop"]);
});

test("the palette finds items by words in their title or group, in any order", () => {
  expect(readTitles("docs query")).toEqual(["Query language"]);
  expect(readTitles("log aud")).toEqual(["Audit log"]);
  expect(readTitles("zeppelin")).toEqual([]);
});
