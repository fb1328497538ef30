import { parseQuery } from "@earshot/query";
import { namesIn } from "@earshot/query/plan";
import { describe, expect, test } from "vitest";
import { namesOnX } from "../../../../testkit/emulators/x/drawn-posts.ts";
import { checkSuperset } from "../../../../testkit/emulators/x/superset.ts";
import { isExpressible, printExpression } from "./expression.ts";
import { lowerQuery } from "./lower.ts";
import { shortenExpression } from "./shorten.ts";

const output = (query: string, refused: readonly string[] = []): string => {
  const { tree } = parseQuery(query);
  const names = namesOnX(namesIn(tree));
  const expression = lowerQuery(tree, { names, refusedOperators: new Set(refused) });
  if (expression.kind === "none") return "nothing";
  return isExpressible(expression)
    ? printExpression(expression)
    : `not expressible: ${printExpression(expression)}`;
};

describe("queries in X's operators", () => {
  test.each([
    ["river stone", "river stone"],
    ['"river stone"', '"river stone"'],
    ["state-of-the-art", '"state-of-the-art"'],
    ["+OR", '"OR"'],
    ['river "say \\"hi"', 'river "say hi"'],
    ['"river * cafe"', "river cafe"],
    ["👍 river", "👍 river"],
    ["AT&amp;T river", '"AT&T" river'],
    ["#Été river", "#été river"],
    ["$TWTR", "$twtr"],
    ["@carol", "@carol"],
    ["from:carol", "from:carol OR from:1005"],
    ["from:nobody", "from:nobody"],
    ["from:dora@social.example river", "nothing"],
    ["to:carol", "to:carol OR to:1005"],
    ["river lang:he", "river lang:iw"],
    ["river lang:zh", "river (lang:zh-CN OR lang:zh-TW)"],
    ["river lang:und", "river"],
    ["lang:en", "not expressible: lang:en"],
    ["river lang:en OR stone", "river (lang:en OR stone)"],
    ["(river lang:en) OR stone", "(river lang:en) OR stone"],
    ["(lang:en) OR stone", "not expressible: lang:en OR stone"],
    ["min_faves:10 min_retweets:5 min_replies:2", "min_likes:10 min_reposts:5 min_replies:2"],
    ["river min_quotes:3", "river"],
    ["river filter:links", "river has:links"],
    ["river filter:images -filter:videos", "river has:media"],
    ["river -filter:media -filter:replies", "river -has:media -is:reply"],
    ["river -filter:links", "river"],
    ["river filter:safe", "river"],
    ["river ?", "river"],
    ["river :)", "river"],
    ["river -stone", "river -stone"],
    ["river -café", "river"],
    ['river -"a b"', 'river -"a b"'],
    ["river -(stone OR cafe)", "river -stone -cafe"],
    ["river -(stone cafe)", "river"],
    ["river -(-stone)", "river stone"],
    ["river OR -stone", "not expressible: "],
    ["-river", "not expressible: -river"],
    ["river -filter:retweets", "river -is:retweet"],
    ["conversation_id:20", "conversation_id:20"],
    ["quoted_tweet_id:20", "quotes_of_tweet_id:20"],
    ["url:example.com/a-b", 'url:"example.com/a-b"'],
    ["domain:example.com", 'url:"example.com"'],
    ["river platform:x", "river"],
    ["river platform:mastodon", "nothing"],
    ["river label:spoiler", "nothing"],
    ["river geocode:52.52,13.405,5km", "river point_radius:[13.405 52.52 5.2km]"],
    ["river geocode:52.52,13.405,50mi", "river has:geo"],
    ["geocode:52.52,13.405,50mi", "not expressible: has:geo"],
    ["river since:2026-01-02 until:2026-01-03", "river"],
    ["river has_engagement", "river has_engagement"],
    ["filter:has_engagement", "min_likes:1 OR min_reposts:1 OR min_replies:1"],
  ])("the query %s is requested from X as %s", (query, expected) => {
    expect(output(query)).toBe(expected);
  });

  test("operators that X rejects are widened", () => {
    expect(output("river min_faves:5", ["min_likes"])).toBe("river");
    expect(output("river (stone OR min_faves:5)", ["min_likes"])).toBe("river");
    expect(output("min_faves:5", ["min_likes"])).toBe("not expressible: ");
  });
});

describe("queries that are too long", () => {
  const short = (query: string, max: number): string | null => {
    const { tree } = parseQuery(query);
    const names = namesOnX(namesIn(tree));
    const expression = shortenExpression(
      lowerQuery(tree, { names, refusedOperators: new Set() }),
      max,
    );
    return expression === null ? null : printExpression(expression);
  };

  test("queries that are too long for X lose exclusions first, then dependent terms, longest first", () => {
    const query = "river stone lang:en -cafe -waterfall";
    expect(short(query, 40)).toBe(query);
    expect(short(query, 30)).toBe("river stone lang:en -cafe");
    expect(short(query, 20)).toBe("river stone lang:en");
    expect(short(query, 15)).toBe("river stone");
    expect(short(query, 8)).toBe("stone");
  });

  test("queries that are too long for X retain every alternative, or are null", () => {
    expect(short("(river lang:en) OR (stone lang:de)", 20)).toBe("river OR stone");
    expect(short("river OR stone OR cafe", 12)).toBeNull();
  });
});

test("X accepts every lowered query, and the query matches a superset", () => {
  const { requestCount, matchCount } = checkSuperset({ numRuns: 20, seed: 20_261_121 });
  expect(requestCount).toBeGreaterThan(100);
  expect(matchCount).toBeGreaterThan(200);
});
