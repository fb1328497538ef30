import { filterOperators, parseQueryLeniently, valueOperators } from "@earshot/query";
import { describe, expect, it } from "vitest";
import { complete, completionsAt } from "./completions.ts";
import { basicHelp, filterExamples, operatorHelp } from "./operator-help.ts";

const offered = (text: string, caret = text.length): string[] =>
  completionsAt(text, caret)?.items.map((item) => item.text) ?? [];

describe("a completion", () => {
  it("completion offers operators and aliases that start with the word", () => {
    expect(offered("harbour min_")).toEqual([
      "min_faves:",
      "min_retweets:",
      "min_replies:",
      "min_quotes:",
    ]);
    expect(offered("min_l")).toEqual(["min_likes:"]);
    expect(offered("-FIL")).toEqual(["filter:"]);
    expect(offered("(la")).toContain("lang:");
  });

  it("completion offers an operator's values if there are few", () => {
    expect(offered("filter:im")).toEqual(["filter:images"]);
    expect(offered("platform:")).toEqual(["platform:bluesky", "platform:mastodon", "platform:x"]);
    expect(offered("lang:e")).toEqual(["lang:en", "lang:es"]);
  });

  it("completion offers nothing inside a word, inside quotes, or after a complete term", () => {
    expect(offered("min_faves", 4)).toEqual([]);
    expect(offered('"storm min_')).toEqual([]);
    expect(offered("platform:bluesky")).toEqual([]);
    expect(offered("zeppelin")).toEqual([]);
    expect(offered("m")).toEqual([]);
  });

  it("completion offers every operator other than include: and is:", () => {
    for (const name of Object.keys(valueOperators)) {
      expect(offered(name.slice(0, Math.max(2, name.length - 1))), name).toContain(`${name}:`);
    }
    for (const name of filterOperators.filter(
      (operator) => operator !== "include" && operator !== "is",
    )) {
      expect(offered(name.slice(0, Math.max(2, name.length - 1))), name).toContain(`${name}:`);
    }
  });

  it("a completion replaces the word and moves the caret after it", () => {
    const text = "🎉 min_ harbour";
    const open = completionsAt(text, 7);
    const [item] = open?.items ?? [];
    if (open === null || item === undefined) throw new Error("nothing was offered");
    expect(complete(text, open, item)).toEqual({ text: "🎉 min_faves: harbour", caret: 13 });
    const values = completionsAt("lang:e", 6);
    const [language] = values?.items ?? [];
    if (values === null || language === undefined) throw new Error("nothing was offered");
    expect(complete("lang:e", values, language)).toEqual({ text: "lang:en ", caret: 8 });
  });
});

it("the playground's examples have no diagnostics", () => {
  for (const { example } of [...basicHelp, ...Object.values(operatorHelp), ...filterExamples]) {
    expect(parseQueryLeniently(example).diagnostics, example).toEqual([]);
  }
});
