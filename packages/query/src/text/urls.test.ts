import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostSuffixes, linkTokens, parseLink, urlQueryTokens } from "./urls.ts";

describe("the tokens of a link", () => {
  test.each([
    ["host and path", "https://mail.google.com/Inbox/1", "mail google com inbox 1"],
    ["no scheme, no www., no closing slash", "HTTP://WWW.Google.com/", "google com"],
    ["hyphens and underscores separate tokens alike", "t-mobile.com/a_b", "t mobile com a b"],
    ["query", "https://x.com/i?id=7&lang=en", "x com i id 7 lang en"],
    ["no fragment", "https://example.com/a#b", "example com a"],
    [
      "no tracking parameters",
      "https://example.com/?utm_source=a&id=7&utm_medium=b&fbclid=c",
      "example com id 7",
    ],
    ["no user", "https://user:secret@example.com/@name", "example com name"],
    ["default ports are removed, others remain", "http://a.com:80/ http", "a com http"],
    ["a port", "http://a.com:8080/x", "a com 8080 x"],
    ["punycode", "https://xn--mnchen-3ya.de:8443/", "münchen de 8443"],
    [
      "percent codes",
      "https://ja.wikipedia.org/wiki/%E6%97%A5%E6%9C%AC",
      "ja wikipedia org wiki 日本",
    ],
    ["broken percent codes", "https://example.com/%ff%", "example com ff"],
    ["full-width letters", "https://ｅｘａｍｐｌｅ.com", "example com"],
    ["a lone surrogate, NUL", "https://a.com/\ud800b\u0000c", "a com b c"],
    ["no text", "https://", ""],
  ])("a link is split into tokens: %s", (_, url, expected) => {
    expect(linkTokens(parseLink(url)).join(" ")).toBe(expected);
  });
  test("long parts of a link are shortened in the same way in posts and queries", () => {
    const part = "a".repeat(500);
    expect(linkTokens(parseLink(`https://example.com/${part}`)).at(-1)).toMatch(
      /^a{40}~[0-9a-f]{16}$/,
    );
    expect(linkTokens(parseLink(`https://example.com/${part}`)).at(-1)).toBe(
      urlQueryTokens(part)[0],
    );
  });
});

function finds(query: string, url: string): boolean {
  const queryText = ` ${urlQueryTokens(query).join(" ")} `;
  return ` ${linkTokens(parseLink(url)).join(" ")} `.includes(queryText);
}

describe("matching", () => {
  const post = "https://twitter.com/NASA/status/1138631847783608321?s=20";
  test.each([
    ["google.com", "https://mail.google.com/x"],
    ["google.com", "http://google.com"],
    ["www.google.com", "https://google.com/"],
    ["t_mobile.com", "https://www.t-mobile.com/plans"],
    ["https://t.co", "https://t.co/AbC"],
    ["twitter.com/nasa", post],
    ["status/1138631847783608321", post],
    ["1138631847783608321", post],
    [post, post],
    [`"${post}"`, post],
    ["münchen.de", "https://xn--mnchen-3ya.de/a"],
    ["https://example.com/a?utm_source=other", "https://example.com/a?utm_source=this"],
  ])("the url: query %s finds the link %s", (query, url) => {
    expect(finds(query, url)).toBe(true);
  });
  test.each([
    ["google.com", "https://notgoogle.com/"],
    ["status/20", post],
    ["nasa.gov", "https://nasa.example.gov/"],
  ])("the url: query %s does not find the link %s", (query, url) => {
    expect(finds(query, url)).toBe(false);
  });
});

const name = fc.string({
  unit: fc.constantFrom(..."abcxyz019é日".split("")),
  minLength: 1,
  maxLength: 6,
});
const links = fc
  .record({
    scheme: fc.constantFrom("https://", "http://", ""),
    prefix: fc.constantFrom("", "www.", "user@", "m."),
    host: fc.array(name, { minLength: 1, maxLength: 3 }),
    port: fc.constantFrom("", ":8080", ":443"),
    path: fc.array(fc.tuple(fc.constantFrom("/", "-", "_", ".", "/@"), name), { maxLength: 4 }),
    query: fc.array(fc.tuple(name, name), { maxLength: 3 }),
    tracking: fc.constantFrom("", "utm_source=x"),
    fragment: fc.constantFrom("", "#top"),
  })
  .map(({ scheme, prefix, host, port, path, query, tracking, fragment }) => {
    const parameters = query.map(([key, value]) => `${key}=${value}`).concat(tracking || []);
    const search = parameters.length > 0 ? `?${parameters.join("&")}` : "";
    const pathText = path.map(([mark, part]) => mark + part).join("");
    return `${scheme}${prefix}${host.join(".")}.com${port}/${pathText}${search}${fragment}`;
  });

test("any part of a link between token boundaries finds the link", () => {
  fc.assert(
    fc.property(links, fc.nat(20), fc.nat(20), (link, a, b) => {
      const body = link.replace(/^(?:https?:\/\/)?(?:www\.)?(?:user@)?/, "").replace(/#.*$/, "");
      // Removed parts of a link are not searched for.
      const searched = body.replace(/:443(?=\/)|utm_source=x/g, (dropped) =>
        ".".repeat(dropped.length),
      );
      const parts = [...searched.matchAll(/[\p{L}\p{M}\p{N}]+/gu)];
      const first = parts[Math.min(a, b) % parts.length];
      const last = parts[Math.min(Math.max(a, b), parts.length - 1)];
      if (first === undefined || last === undefined || first.index > last.index) return;
      const stretch = body.slice(first.index, last.index + last[0].length);
      expect(finds(stretch, link), JSON.stringify({ link, stretch })).toBe(true);
    }),
    { numRuns: 3000 },
  );
});

test("any string read as a link yields only tokens of letters, marks and digits", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
      for (const token of linkTokens(parseLink(`https://${text}`))) {
        expect(token).toMatch(/^[\p{L}\p{M}\p{N}]+(?:~[0-9a-f]{16})?$/u);
      }
    }),
    { numRuns: 2000 },
  );
});

describe("the domains of a link, longest first", () => {
  test.each([
    ["https://News.BBC.co.uk/a?b=c.d", "news.bbc.co.uk bbc.co.uk co.uk"],
    ["example.com:8080", "example.com"],
    ["https://user@www.example.com./x", "example.com"],
    ["https://xn--mnchen-3ya.de:8443/", "münchen.de"],
    ["http://localhost/", "localhost"],
    ["", ""],
  ])("the domains of a link are listed, longest first: %s", (url, expected) => {
    expect(hostSuffixes(parseLink(url)).join(" ")).toBe(expected);
  });
  test("an overlong host yields only itself as a domain", () => {
    expect(hostSuffixes(parseLink(`https://${"a.".repeat(100_000)}com`))).toHaveLength(1);
  });
});
