import { expect, test } from "vitest";
import { addressIn } from "../page-tree.ts";
import { linksAsServed } from "../served-pages.ts";
import { renderMarkdown } from "./render-markdown.ts";

const tree = new Map([
  ["", "README.md"],
  ["/api", "api.md"],
  ["/errors", "errors/README.md"],
  ["/errors/invalid_query", "errors/invalid_query.md"],
]);
const fromErrors = addressIn(tree, "errors/README.md");

function html(text: string): string {
  return renderMarkdown(text, fromErrors).html;
}

test("the headings of a page have unique anchors, which its table of contents lists", () => {
  const { title, contents } = renderMarkdown("# The `API`\n## Fix it\n### Fix it\n", fromErrors);
  expect(title).toBe("The API");
  expect(contents).toEqual([
    { level: 2, text: "Fix it", anchor: "fix-it" },
    { level: 3, text: "Fix it", anchor: "fix-it-1" },
  ]);
});

test.each([
  ["../api.md#limits", "/docs/api#limits"],
  ["invalid_query.md", "/docs/errors/invalid_query"],
  ["../README.md", "/docs"],
  ["README.md", "/docs/errors"],
  ["#below", "#below"],
  ["https://example.org/a", "https://example.org/a"],
])("a link in a page to %s leads to %s, in HTML and in Markdown", (target, address) => {
  expect(html(`[there](${target})`)).toContain(`<a href="${address}">there</a>`);
  expect(linksAsServed(`[there](${target})`, fromErrors)).toBe(`[there](${address})`);
});

test.each([
  "../../LICENSE",
  "../../package.json",
  "../missing.md",
  "javascript:alert",
  "//other.example/a",
])("a link in a page to %s, which is not served, becomes text", (target) => {
  expect(html(`[there](${target})`)).toBe("<p>there</p>\n");
  expect(linksAsServed(`[there](${target})`, fromErrors)).toBe("there");
});

test("link syntax in code stays unchanged", () => {
  const text = "`[a](b.md)`\n```\n[a](b.md)\n```\n";
  expect(linksAsServed(text, fromErrors)).toBe(text);
});

test("HTML in a page is escaped, except for line breaks", () => {
  const renderedHtml = html('<script>alert(1)</script> <img src="x" onerror="y"> `<b>`');
  expect(renderedHtml).not.toMatch(/<(?!\/?(?:p|code)>)/);
  expect(html("a<br>b")).toContain("a<br>b");
});

test("a table in a page has a caption, row headers, and a scroll box", () => {
  const renderedHtml = html("## Limits\n\n| a | b |\n|---|---|\n| `one` | [two](../api.md) |\n");
  expect(renderedHtml).toContain('role="region" aria-labelledby="table-1" tabindex="0"');
  expect(renderedHtml).toContain('<caption id="table-1">Limits: table 1</caption>');
  expect(renderedHtml).toContain('<th scope="row"><code>one</code></th>');
  expect(renderedHtml).toContain('<td><a href="/docs/api">two</a></td>');
});

test("consecutive named code blocks form one group, and code is highlighted and escaped", () => {
  const renderedHtml = html(
    "```sh [curl]\ncurl '<a>'\n```\n\n```py [Python]\nx = 1\n```\n\n```\nplain\n```\n",
  );
  expect(renderedHtml.match(/<div class="samples">[\s\S]*<\/figure>\n<\/div>/)?.[0]).toContain(
    "Python",
  );
  expect(renderedHtml).toContain('<span class="hljs-string">&#x27;&lt;a&gt;&#x27;</span>');
  expect(renderedHtml.split('<div class="samples">')).toHaveLength(2);
});
