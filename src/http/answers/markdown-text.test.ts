import fc from "fast-check";
import { lexer, parseInline, type Token } from "marked";
import { expect, test } from "vitest";
import { codeSpan, escapeInline, link, quoteLines } from "./markdown-text.ts";

const hostilePieces = [
  "plain words",
  "\n",
  "\r",
  "\r\n",
  "\u2028",
  "\u0085",
  "\v",
  "\f",
  "\t",
  "\0",
  "\ud800",
  "\u001b[31m",
  "\u202e",
  "`",
  "```",
  "~~~",
  "````text",
  "> ",
  ">",
  "- ",
  "1. ",
  "# ",
  "===",
  "---",
  "| a | b |",
  "|-|-|",
  "<b>",
  "</blockquote>",
  "<script>alert(1)</script>",
  "<!--",
  "-->",
  "![x](http://evil.example/x.png)",
  "[a]: http://evil.example",
  "[a](javascript:1)",
  "&lt;",
  "\\",
  "*",
  "_",
  "**",
  "$$",
  "    ",
  " ",
  "\n\n\n",
  "שלום",
  "=cmd()",
  "http://evil.example",
  "www.evil.example",
];
const hostileText = fc
  .array(fc.constantFrom(...hostilePieces), { maxLength: 30 })
  .map((pieces) => pieces.join(""));

function document(text: string): Token[] {
  const item = ["1. head", "", ...quoteLines(text, "   "), "", "after"];
  return lexer(item.join("\n")).filter(({ type }) => type !== "space");
}

test("a quoted text stays within its quote as one block of code, regardless of its content", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const [list, after, ...more] = document(text);
      expect(more).toEqual([]);
      expect(after).toMatchObject({ type: "paragraph", text: "after" });
      if (list?.type !== "list") throw new Error("expected a list");
      expect(list.items).toHaveLength(1);
      const [head, quote, ...others] = list.items[0].tokens.filter(
        ({ type }: Token) => type !== "space",
      );
      expect(head).toMatchObject({ text: "head" });
      expect(others).toEqual([]);
      if (text.replaceAll("\u0085", "").trim() === "") {
        expect(quote).toBeUndefined();
        return;
      }
      const code = quote.tokens.filter(({ type }: Token) => type !== "space");
      expect(code.map(({ type }: Token) => type)).toEqual(["code"]);
    }),
    { numRuns: 3_000 },
  );
});

test("each line of a quoted text begins with a marker and contains no control characters", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const quoted = quoteLines(text, "    ").join("\n");
      expect(quoted).toMatch(/^(?: {4}>(?: {5}[^\n]*)?(?:\n|$))*$/);
      expect(quoted.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(quoted.isWellFormed()).toBe(true);
    }),
  );
});

test("the lines of a quoted text are preserved, with tabs as spaces", () => {
  const text = "<b>bold</b> `code` **x**\n\n# no heading\n\tindented\n```\n> quoted &amp; [a](b)";
  const [list] = document(text);
  if (list?.type !== "list") throw new Error("expected a list");
  const quote = list.items[0].tokens.find(({ type }: Token) => type === "blockquote");
  const code = quote.tokens.find(({ type }: Token) => type === "code");
  expect(code.text).toBe(text.replace("\t", "    "));
});

test("a Markdown code span stays a single span, regardless of its content", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const [paragraph, ...more] = lexer(`before ${codeSpan(text)} after`);
      expect(more).toEqual([]);
      if (paragraph?.type !== "paragraph") throw new Error("expected a paragraph");
      expect(paragraph.tokens?.map(({ type }) => type)).toEqual(["text", "codespan", "text"]);
    }),
    { numRuns: 3_000 },
  );
});

test("escaped text contains no markup, regardless of what it echoes", () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const html = String(parseInline(`say: ${escapeInline(text)}`, { gfm: false }));
      expect(html).not.toMatch(/<(?!br>)/);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["https://bsky.app/profile/a/post/1", "<https://bsky.app/profile/a/post/1>"],
  ["https://a.example/ <b>\n", "<https://a.example/%20%3Cb%3E>"],
  ["https://a.example/?q=`><script>", "<https://a.example/?q=`%3E%3Cscript%3E>"],
  ["javascript:alert(1)", "`javascript:alert(1)`"],
  ["at://did:plc:a/app.bsky.feed.post/1", "`at://did:plc:a/app.bsky.feed.post/1`"],
  ["data:text/html,<b>", "`data:text/html,<b>`"],
])("the Markdown link %j becomes %s", (address, markdown) => {
  expect(link(address)).toBe(markdown);
});

test("a code span with many single backquotes has a fence of two", () => {
  const text = "`a".repeat(300_000);
  expect(codeSpan(text)).toBe(`\`\` ${text} \`\``);
});
