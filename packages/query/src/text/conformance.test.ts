import { describe, expect, test } from "vitest";
import {
  casesAreHere,
  casesFolder,
  notApplicable,
  runCases,
} from "../../../../testkit/conformance/twitter-text.ts";

/** Cases with intentionally different results, and the reason. */
const decided: Readonly<Record<string, string>> = {
  "Valid url: port and userinfo": "no link on X holds a user: the cases for extraction say so too",
  "Valid url: ipv4": "only names are hosts of links in a text, as in the cases for extraction",
  "Valid url: ipv6": "only names are hosts of links in a text, as in the cases for extraction",
  "Valid url: sub delims and question marks":
    "a + at the end of a link in a text is not taken for a part of it, as in the rules for extraction",
};

const named = casesAreHere
  ? "the published cases of twitter-text"
  : `the published cases of twitter-text (missing in ${casesFolder})`;

describe.skipIf(!casesAreHere)(named, () => {
  const outcomes = casesAreHere ? runCases() : [];

  test("twitter-text's applicable cases are answered as published, except for documented exceptions", () => {
    const others = outcomes.filter(({ expected, actual }) => expected !== actual);
    expect(others.map(({ description }) => description)).toEqual(Object.keys(decided));
  });
  test("few groups of twitter-text's cases do not apply", () => {
    expect(outcomes.length).toBeGreaterThan(2_000);
    expect(Object.keys(notApplicable)).toHaveLength(7);
  });
});
