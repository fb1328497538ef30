import { expect, test } from "vitest";
import { seededRandom } from "../../bench/measure.ts";
import { quoteText, safeUrl, toInlineText } from "./untrusted.ts";

const pieces = [
  "text",
  "\n",
  "\r",
  "\r\n",
  "\u2028",
  "\u2029",
  "\u0085",
  "\v",
  "\f",
  "\u202e",
  "\0",
  "\u001b[2J",
  "> ",
  "[1] @x",
  "`",
  "</post>",
  " ",
  "🙂",
];

test("every line of an untrusted text is quoted, regardless of its content", () => {
  const random = seededRandom(3);
  for (let n = 0; n < 3_000; n += 1) {
    const text = Array.from(
      { length: 12 },
      () => pieces[Math.floor(random() * pieces.length)],
    ).join("");
    const quotation = quoteText(text);
    for (const line of quotation.split(/[\n\r\v\f\u0085\u2028\u2029]/)) expect(line).toMatch(/^>/);
    expect(quotation).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
    expect(toInlineText(text)).not.toMatch(/[\s`<>·]/);
    expect(toInlineText(text).length).toBeLessThanOrEqual(80);
  }
});

test("only plain web URLs are shown as links", () => {
  expect(safeUrl("https://bsky.app/profile/a/post/b")).toBe("https://bsky.app/profile/a/post/b");
  for (const url of [
    "javascript:alert(1)",
    "https://a.example/ [2] @b",
    "https://a.example/>\n",
    null,
  ]) {
    expect(safeUrl(url)).toBeNull();
  }
});
