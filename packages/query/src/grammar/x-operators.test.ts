import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { printQuery } from "../tree/print.ts";
import { parseQuery, parseQueryLeniently } from "./parse.ts";

function errorCodes(query: string): string[] {
  const { diagnostics } = parseQueryLeniently(query);
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return [...new Set(errors.map(({ code }) => code))];
}

describe("operators of X's own search, as its users write them", () => {
  test.each([
    ["volcano iceland", "volcano iceland"],
    ["(volcano iceland)", "volcano iceland"],
    ["volcano OR geyser", "volcano OR geyser"],
    ['"edge of tomorrow"', '"edge of tomorrow"'],
    ['"one of the * films ever"', '"one of the * films ever"'],
    ["+grammer", "grammer"],
    ["tigers -detroittigers", "tigers -detroittigers"],
    ['-"so it goes" vonnegut', '-"so it goes" vonnegut'],
    ["#throwback", "#throwback"],
    ["$TSLA OR $GM OR $F", "$tsla OR $gm OR $f"],
    ["(Which OR Whose OR Whom) ?", "(Which OR Whose OR Whom) ?"],
    [":) OR :-) OR :P OR :D OR :( OR :-(", ":) OR :) OR :P OR :D OR :( OR :("],
    ["👀 🌋", "👀 🌋"],
    ["url:usgs.gov", 'url:"usgs.gov"'],
    ["lava lang:is", "lava lang:is"],
    ["lava from:usgs", "lava from:usgs"],
    ["#VolcanoDay to:usgs", "#volcanoday to:usgs"],
    ["@usgs -from:usgs", "@usgs -from:usgs"],
    ["filter:verified lava", "filter:verified lava"],
    ["geocode:63.98,-19.07,25km", "geocode:63.98,-19.07,25km"],
    ["geocode:63.98,-19.07,25mi", "geocode:63.98,-19.07,40.2336km"],
    ["since:2010-04-14 until:2010-04-21 #ash", "since:2010-04-14 until:2010-04-21 #ash"],
    [
      '"#ash" since:2010-04-14_06:00:00_UTC until:2010-04-14_08:30:00_UTC',
      '"#ash" since:2010-04-14_06:00:00_UTC until:2010-04-14_08:30:00_UTC',
    ],
    [
      "since_time:1271203200 until_time:1271808001 #ash",
      "since:2010-04-14 until:2010-04-21_00:00:01_UTC #ash",
    ],
    [
      "since_id:12150000000 max_id:12560000000 #ash",
      "since_id:12150000000 max_id:12560000000 #ash",
    ],
    ["lava within_time:4d", "lava within_time:4d"],
    ["lava within_time:7h", "lava within_time:7h"],
    ["lava within_time:45m", "lava within_time:45m"],
    ["lava within_time:20s", "lava within_time:20s"],
    ["from:usgs filter:nativeretweets", "from:usgs filter:nativeretweets"],
    ["from:usgs include:nativeretweets", "from:usgs"],
    ["filter:retweets from:usgs until:2011-01-01", "filter:retweets from:usgs until:2011-01-01"],
    ["from:usgs filter:replies -to:usgs", "from:usgs filter:replies -to:usgs"],
    ["from:usgs filter:self_threads", "from:usgs filter:self_threads"],
    ["conversation_id:12150000007 lang:is", "conversation_id:12150000007 lang:is"],
    ["from:usgs filter:quote", "from:usgs filter:quote"],
    ["quoted_tweet_id:12150000007", "quoted:12150000007"],
    ["quoted_user_id:14505838", "quoted_user_id:14505838"],
    ["lava -filter:has_engagement", "lava -filter:has_engagement"],
    ["min_retweets:40 lava", "min_retweets:40 lava"],
    ["min_faves:40 lava", "min_faves:40 lava"],
    ["min_replies:40 lava", "min_replies:40 lava"],
    ["-min_retweets:40 lava", "-min_retweets:40 lava"],
    ["-min_faves:40 lava", "-min_faves:40 lava"],
    ["-min_replies:40 lava", "-min_replies:40 lava"],
    ["filter:media lava", "filter:media lava"],
    ["filter:twimg lava", "filter:images lava"],
    ["filter:images lava", "filter:images lava"],
    ["filter:videos lava", "filter:videos lava"],
    ["filter:native_video lava", "filter:videos lava"],
    ["filter:consumer_video lava", "filter:videos lava"],
    ["filter:links -filter:media", "filter:links -filter:media"],
    ["filter:mentions from:usgs", "filter:mentions from:usgs"],
    ["filter:safe #ash", "filter:safe #ash"],
    ["from:usgs filter:hashtags", "from:usgs filter:hashtags"],
    ['source:"Earthquake Bot™" lang:is', 'source:"Earthquake Bot™" lang:is'],
    ["source:earthquake_bot", 'source:"earthquake_bot"'],
    ["from:USGS filter:media -filter:images", "from:usgs filter:media -filter:images"],
    [
      "(lava OR magma) (hot OR glowing) -filter:nativeretweets min_faves:3",
      "(lava OR magma) (hot OR glowing) -filter:nativeretweets min_faves:3",
    ],
    ["twitter.com/usgs/status/7/ -from:usgs", 'url:"usgs/status/7" -from:usgs'],
    ["(filter:images OR filter:videos)", "filter:images OR filter:videos"],
  ])("the X query %j is parsed as %j", (query, canonical) => {
    expect(printQuery(parseQuery(query).tree)).toBe(canonical);
  });

  test.each([
    "list:88",
    "list:usgs/observatories OR list:88",
    "filter:blue_verified -filter:verified",
    "filter:follows lang:is",
    "lava filter:social",
    "lava filter:trusted",
    'near:"Vík í Mýrdal"',
    "near:me",
    "near:reykjavik",
    "ash near:reykjavik within:40km",
    "place:0a1b2c3d4e5f6071",
    "filter:periscope lava",
    "filter:vine lava",
    "filter:pro_video lava",
    "filter:spaces",
    "filter:news lang:is",
    "card_domain:usgs.gov",
    "card_url:usgs.gov",
    "card_name:audio",
    "card_name:player OR card_name:summary",
    "card_name:4711:moment",
    "lava card_name:promo_video_convo",
  ])("the X query %s is rejected with a reason", (query) => {
    const { diagnostics } = parseQueryLeniently(query);
    expect(errorCodes(query)).toEqual(["operator_not_available"]);
    for (const { message, hint } of diagnostics) {
      expect(message).toMatch(/ is not supported: it [a-z]/);
      expect(hint).toMatch(/^(?:use |name the \w+, for example )/);
    }
  });
});

type Row = { operators: readonly string[]; example: string | null };
type Listing = { operators: readonly Row[]; combined_examples: readonly string[] };

const file =
  process.env.EARSHOT_OPERATOR_LIST ??
  new URL("../../../../../../shared/data/igorbrigadir_operators.json", import.meta.url).pathname;

test.skipIf(!existsSync(file))(
  "every row in a list of X's operators parses, or is rejected as not available (skipped if the list is missing; see EARSHOT_OPERATOR_LIST)",
  () => {
    const listing = JSON.parse(readFileSync(file, "utf8")) as Listing;
    const rows = listing.operators.filter(({ example }) => example !== null);
    expect(rows.length).toBeGreaterThan(70);
    for (const { operators, example } of rows) {
      for (const query of [example ?? "", ...operators.map(fillPlaceholders)]) {
        expect([[], ["operator_not_available"]], query).toContainEqual(errorCodes(query));
      }
    }
    for (const query of listing.combined_examples) {
      expect([[], ["operator_not_available"]], query).toContainEqual(errorCodes(query));
    }
  },
);

function fillPlaceholders(syntax: string): string {
  const query = syntax
    .replace("tweet_id", "12150000007")
    .replace("lat,long,radius", "63.98,-19.07,25km");
  return `lava ${query}`;
}
