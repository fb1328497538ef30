import { expect, test } from "vitest";
import { findLinks } from "./links.ts";

const linksOf = (text: string): string[] =>
  findLinks(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ["a bare host goes on with a path alone", "see zipzp.eu?a=b", ["zipzp.eu"]],
  ["and its path with parameters", "see zipzp.eu/x?a=b.", ["zipzp.eu/x?a=b"]],
  ["a port counts with what follows it", "a.com:80/x a.com:80", ["a.com:80/x", "a.com"]],
  ["a scheme takes parameters at once", "http://a.com?q=1, yes", ["http://a.com?q=1"]],
  ["parameters are ASCII, paths are not", "http://a.com/Ёл?Ёлка", ["http://a.com/Ёл"]],
  ["brackets in parameters need no partner", "http://a.com/?q=b)c d", ["http://a.com/?q=b)c"]],
  ["those of a path do", "(http://a.com/b(c)d)", ["http://a.com/b(c)d"]],
  ["a host ends at its last domain", "go to hearthis.at.Kwa", ["hearthis.at"]],
  ["a hyphen behind another script", "서울-example.com/what?now", ["example.com/what?now"]],
  ["no domain before a letter with an accent", "don't.naïve", []],
])("%s: %s", (_, text, links) => {
  expect(linksOf(text)).toEqual(links);
});
