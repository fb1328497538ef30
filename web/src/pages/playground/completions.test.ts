import { filterOperators, parseQueryLeniently, valueOperators } from "@earshot/query";
import { describe, expect, it } from "vitest";
import { complete, completionsAt } from "./completions.ts";
import { basicHelp, filterExamples, operatorHelp } from "./operator-help.ts";

const offeredTexts = (text: string, caret = text.length): string[] =>
  completionsAt(text, caret)?.items.map((item) => item.text) ?? [];

describe("a completion", () => {
  it("completion offers operators and aliases that start with the word", () => {
    expect(offeredTexts("harbour min_")).toEqual([
      "min_faves:",
      "min_retweets:",
      "min_replies:",
      "min_quotes:",
    ]);
    expect(offeredTexts("min_l")).toEqual(["min_likes:"]);
    expect(offeredTexts("-FIL")).toEqual(["filter:"]);
    expect(offeredTexts("(la")).toContain("lang:");
  });

  it("completion offers an operator's values if there are few", () => {
    expect(offeredTexts("filter:im")).toEqual(["filter:images"]);
    expect(offeredTexts("platform:")).toEqual([
      "platform:bluesky",
      "platform:mastodon",
      "platform:x",
    ]);
    expect(offeredTexts("lang:e")).toEqual(["lang:en", "lang:es"]);
  });

  it("completion offers nothing inside a word, inside quotes, or after a complete term", () => {
    expect(offeredTexts("min_faves", 4)).toEqual([]);
    expect(offeredTexts('"storm min_')).toEqual([]);
    expect(offeredTexts("platform:bluesky")).toEqual([]);
    expect(offeredTexts("zeppelin")).toEqual([]);
    expect(offeredTexts("m")).toEqual([]);
  });

  it("completion offers every operator other than include: and is:", () => {
    for (const name of Object.keys(valueOperators)) {
      expect(offeredTexts(name.slice(0, Math.max(2, name.length - 1))), name).toContain(`${name}:`);
    }
    for (const name of filterOperators.filter(
      (operator) => operator !== "include" && operator !== "is",
    )) {
      expect(offeredTexts(name.slice(0, Math.max(2, name.length - 1))), name).toContain(`${name}:`);
    }
  });

  it("a completion replaces the word and moves the caret after it", () => {
    const text = "🎉 min_ harbour";
    const completions = completionsAt(text, 7);
    const [item] = completions?.items ?? [];
    if (completions === null || item === undefined) throw new Error("nothing was offered");
    expect(complete(text, completions, item)).toEqual({ text: "🎉 min_faves: harbour", caret: 13 });
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
