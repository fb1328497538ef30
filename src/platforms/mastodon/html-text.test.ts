import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTime } from "../../../testkit/cpu-time.ts";
import { htmlToText } from "./html-text.ts";

const htmlText = (html: string): string => htmlToText(html).text;

describe("the text of a post", () => {
  it("paragraphs, line breaks and list items in a Mastodon post are kept as line breaks", () => {
    expect(htmlText("<p>one<br />two</p><p>three</p>")).toBe("one\ntwo\n\nthree");
    expect(htmlText("<p>one</p>\n<p>two</p>")).toBe("one\n\ntwo");
    expect(htmlText("one<br>two<br/><br>three")).toBe("one\ntwo\n\nthree");
    expect(htmlText("<p>to do:</p><ul><li>one</li><li><p>two</p></li></ul><p>end</p>")).toBe(
      "to do:\n\none\n\ntwo\n\nend",
    );
    expect(htmlText("<blockquote><p>said</p></blockquote><p>answered</p>")).toBe(
      "said\n\nanswered",
    );
    expect(htmlText("<pre><code>a\n  b\n</code></pre>")).toBe("a\n  b");
    expect(htmlText("<p>  much \n\t white   space </p>")).toBe("much white space");
    expect(htmlText("<p>H<sub>2</sub>O is <em>wet</em>, <del>dry</del></p>")).toBe(
      "H2O is wet, dry",
    );
    expect(htmlText("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>")).toBe("漢kan");
  });

  it("entities in the text of a Mastodon post are decoded once", () => {
    expect(
      htmlText("<p>&lt;b&gt; &amp;amp; &quot;q&quot; &#39;s&apos; &#x1F600; &#8230; &eacute;</p>"),
    ).toBe("<b> &amp; \"q\" 's' 😀 … &eacute;");
    expect(htmlText("&#0; &#xD800; &#x110000; &#99999999; &amp")).toBe(
      "\ufffd \ufffd \ufffd &#99999999; &amp",
    );
  });

  it("the text of a Mastodon post has no scripts, styles, comments or tags", () => {
    expect(htmlText("a<script>alert('<p>x</p>')</script>b<style>p{}</style>c<!-- no > -->d")).toBe(
      "abcd",
    );
    expect(htmlText("a<SCRIPT >x</Script >b")).toBe("ab");
    expect(htmlText('<img src=x onerror="alert(1)>">a')).toBe("a");
    expect(htmlText("<!doctype html><?php x ?>a")).toBe("a");
    expect(htmlText("a < b and c <3 and <")).toBe("a < b and c <3 and <");
    expect(htmlText("a<b")).toBe("a");
    expect(htmlText("<p>a<script>never closed")).toBe("a");
    expect(htmlText('a<p title="never closed>b</p>')).toBe("a");
  });
});

describe("the links of a post", () => {
  const shortened =
    '<a href="https://www.example.com/a/very/long/path?x=1&amp;y=2" rel="nofollow"><span class="invisible">https://www.</span><span class="ellipsis">example.com/a/very/long</span><span class="invisible">/path?x=1&amp;y=2</span></a>';

  it("links in a Mastodon post are written in full if they show their address, even if it is shortened", () => {
    const url = "https://www.example.com/a/very/long/path?x=1&y=2";
    expect(htmlToText(`<p>see ${shortened} now</p>`)).toEqual({
      text: `see ${url} now`,
      links: [{ url, isReference: false }],
    });
    expect(htmlText(`<a href="${url.replace("&", "&amp;")}">example.com/a/ver…</a>`)).toBe(url);
    expect(htmlText(`<a href="https://example.com/">example.com</a>`)).toBe("https://example.com/");
    expect(htmlText(`<a href="https://example.com/%C3%A4">example.com/ä</a>`)).toBe(
      "https://example.com/%C3%A4",
    );
  });

  it("links in a Mastodon post that show other words keep their link text", () => {
    expect(htmlToText('<p>read <a href="https://example.com/x">this page</a>.</p>')).toEqual({
      text: "read this page.",
      links: [{ url: "https://example.com/x", isReference: false }],
    });
  });

  it("links to accounts and hashtags in a Mastodon post are distinguished from others", () => {
    const html =
      '<a href="https://b.example/@bob" class="u-url mention">@<span>bob</span></a> <a class="mention hashtag" href=\'https://b.example/tags/x\'>#<span>x</span></a>';
    expect(htmlToText(html)).toEqual({
      text: "@bob #x",
      links: [
        { url: "https://b.example/@bob", isReference: true },
        { url: "https://b.example/tags/x", isReference: true },
      ],
    });
  });

  it("only web addresses in a Mastodon post are read as links", () => {
    const html =
      '<a href="javascript:alert(1)">a</a><a href="//x">b</a><a href="https://">c</a><a>d</a>';
    expect(htmlToText(html)).toEqual({ text: "abcd", links: [] });
  });
});

it("fallback text for software that does not support quote posts is dropped from a Mastodon post", () => {
  const html = '<p class="quote-inline">RE: <a href="https://x.example/1">x</a></p><p>words</p>';
  expect(htmlToText(html, "quote-inline")).toEqual({ text: "words", links: [] });
  expect(htmlText(html)).toBe("RE: x\n\nwords");
});

it("any HTML is converted to well-formed text, in linear time", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "<",
      ">",
      "</",
      "<a href='",
      '"',
      "'",
      "=",
      "<p>",
      "</p>",
      "&",
      "&#",
      ";",
      "<!--",
      "-->",
      "<pre>",
      "<script>",
      "</script>",
      "<br>",
      "\ud83d",
      "\0",
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const { text } = htmlToText(pieces.join(""));
      expect(text.isWellFormed()).toBe(true);
    }),
    { numRuns: 500 },
  );
  const targetLength = 1_000_000;
  for (const unit of [
    "<",
    "<a",
    "<a href='",
    "<p>",
    "&",
    "&#",
    "<!",
    "<!--",
    "<script>",
    "<pre> ",
    "x=",
    '<a x="',
    "<a href=https://x.y>",
    "a\n\t ",
  ]) {
    const cpuMs = startCpuTime();
    htmlToText(unit.repeat(targetLength / unit.length));
    expect(cpuMs()).toBeLessThan(2_000);
  }
});
