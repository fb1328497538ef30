import { expect, test } from "vitest";
import { findLinks } from "./links.ts";

const parseLinks = (text: string): string[] =>
  findLinks(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ["a host without a scheme continues only with a path", "see zipzp.eu?a=b", ["zipzp.eu"]],
  [
    "a host without a scheme has parameters after a path",
    "see zipzp.eu/x?a=b.",
    ["zipzp.eu/x?a=b"],
  ],
  ["a port is part of a link only before a path", "a.com:80/x a.com:80", ["a.com:80/x", "a.com"]],
  [
    "a host with a scheme may be followed by parameters without a path",
    "http://a.com?q=1, yes",
    ["http://a.com?q=1"],
  ],
  ["parameters are ASCII only, but paths are not", "http://a.com/Ёл?Ёлка", ["http://a.com/Ёл"]],
  ["brackets in parameters need not be balanced", "http://a.com/?q=b)c d", ["http://a.com/?q=b)c"]],
  ["brackets in a path must be balanced", "(http://a.com/b(c)d)", ["http://a.com/b(c)d"]],
  ["a host ends at its last known top-level domain", "go to hearthis.at.Kwa", ["hearthis.at"]],
  [
    "a host begins after a hyphen that follows another script",
    "서울-example.com/what?now",
    ["example.com/what?now"],
  ],
  ["a letter with an accent after a domain prevents a link", "don't.naïve", []],
])("%s: %s", (_, text, links) => {
  expect(parseLinks(text)).toEqual(links);
});
