import { expect, test } from "vitest";
import { jsonPage, splitJsonPage } from "./json-page.ts";

test.each([[[]], [['{"a":1}']], [['{"a":"ä 🙂"}', "null", '"[,]"']]])(
  "a JSON page is an array of its texts, from which they can be read: %j",
  (texts) => {
    const page = jsonPage(texts);
    expect(Buffer.from(page.body).toString()).toBe(`[${texts.join(",")}]`);
    expect(splitJsonPage(page)).toEqual(texts);
  },
);
