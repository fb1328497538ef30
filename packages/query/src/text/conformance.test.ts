import { describe, expect, test } from "vitest";
import {
  casesFolder,
  hasCases,
  runCases,
  skippedGroups,
} from "../../../../testkit/conformance/twitter-text.ts";

/** Each with the reason. */
const intentionalDifferences: Readonly<Record<string, string>> = {
  "Valid url: port and userinfo": "no link on X contains a user, as in the cases for extraction",
  "Valid url: ipv4": "a link in a text must have a named host, as in the cases for extraction",
  "Valid url: ipv6": "a link in a text must have a named host, as in the cases for extraction",
  "Valid url: sub delims and question marks":
    "a + after a link in a text is not part of it, as in the rules for extraction",
};

const title = hasCases
  ? "the published cases of twitter-text"
  : `the published cases of twitter-text (missing in ${casesFolder})`;

describe.skipIf(!hasCases)(title, () => {
  const outcomes = hasCases ? runCases() : [];

  test("twitter-text's applicable cases have the published results, apart from documented exceptions", () => {
    const differences = outcomes.filter(({ expected, actual }) => expected !== actual);
    expect(differences.map(({ description }) => description)).toEqual(
      Object.keys(intentionalDifferences),
    );
  });
  test("only a few groups of twitter-text's cases do not apply", () => {
    expect(outcomes.length).toBeGreaterThan(2_000);
    expect(Object.keys(skippedGroups)).toHaveLength(7);
  });
});
