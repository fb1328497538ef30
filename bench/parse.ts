import { parseQueryLeniently } from "@earshot/query";
import { command, summary } from "./measure.ts";

// Parse time by length, for shapes that hurt a naive parser: node bench/parse.ts
const lengths = [256, 1_024, 4_096, 16_384, 65_536];
const minRuns = 7;
const minMs = 60;

const repeat =
  (unit: string, start = "", end = "") =>
  (length: number): string =>
    start +
    unit.repeat(Math.max(1, Math.floor((length - start.length - end.length) / unit.length))) +
    end;

/** Queries of about this length in code points. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  words: repeat("nasa launch "),
  alternatives: repeat("nasa OR ", "", "esa"),
  "one long word": repeat("a"),
  operators: repeat("from:nasa min_faves:10 "),
  exclusions: repeat("-nasa -from:esa "),
  "invalid values": repeat("since:2021-1-5 lang:e "),
  "unknown operators": repeat("frm:nasa re:invent "),
  "repeated terms": repeat("nasa -nasa "),
  "opening parentheses": repeat("("),
  "closing parentheses": repeat(")"),
  "pairs of parentheses": repeat("()"),
  "nested negations": (length) => nested("-(", length),
  NOT: repeat("NOT ", "", "x"),
  minuses: repeat("-"),
  "separate minuses": repeat("- "),
  "quotation marks": repeat('"'),
  "an open quotation": repeat('\\"', '"'),
  "open quotations of other kinds": repeat("「«"),
  "hashtags without spaces": repeat("#a"),
  "mentions without spaces": repeat("@a"),
  "an endless DID": repeat("@did:a:"),
  "cashtags without spaces": repeat("$a"),
  "small number signs": repeat("﹟a"),
  emoticons: repeat(":) :( "),
  "emoticons without spaces": repeat(":("),
  "emoticons in groups": repeat("(a :) "),
  colons: repeat(":"),
  "names with colons": repeat("from:"),
  brackets: repeat("near:[ "),
  "question marks": repeat("?"),
  punctuation: repeat(".,;"),
  dots: repeat("a."),
  "addresses without spaces": repeat("http://a("),
  "an address with parentheses": repeat("(a)", "https://x.com/"),
  hosts: repeat("a.b.c.example.com/ "),
  "domain: with dots": repeat("a.", "domain:"),
  "geocode: with digits": repeat("1", "geocode:"),
  "within_time: with digits": repeat("1", "within_time:"),
  "single quotes": repeat("'a b' "),
  wildcards: repeat("a* "),
  dashes: repeat("–"),
  joiners: repeat("\u200d"),
  marks: repeat("\u0301", "a"),
  Chinese: repeat("新闻"),
  emoji: repeat("👍🏽"),
  "lone surrogates": repeat("\ud800"),
};

function nested(open: string, length: number): string {
  const depth = Math.floor(length / (open.length + 1));
  return `${open.repeat(depth)}x${")".repeat(depth)}`;
}

const shapeFilters = process.argv.slice(2);
console.log(command());
console.log("Median microseconds per query, and in parentheses per character.\n");
console.log(`| shape | ${lengths.join(" | ")} | growth |`);
console.log(`|---|${"---:|".repeat(lengths.length + 1)}`);
for (const [name, make] of Object.entries(shapes)) {
  if (shapeFilters.length > 0 && !shapeFilters.some((part) => name.includes(part))) continue;
  const costs = lengths.map((length) => queryMicroseconds(make(length)));
  const costPerCharacter = costs.map((cost, index) => cost / (lengths[index] ?? 1));
  const cells = costs.map(
    (cost, index) => `${cost.toFixed(0)} (${costPerCharacter[index]?.toFixed(3)})`,
  );
  // The cost per character at the greatest length, divided by that at the maximum allowed length.
  const growth = (costPerCharacter.at(-1) ?? 0) / (costPerCharacter[2] ?? 1);
  console.log(`| ${name} | ${cells.join(" | ")} | ${growth.toFixed(2)} |`);
}

function queryMicroseconds(query: string): number {
  const durationsMs: number[] = [];
  let totalMs = 0;
  while (durationsMs.length < minRuns || totalMs < minMs) {
    const started = performance.now();
    parseQueryLeniently(query, { maxLength: Number.POSITIVE_INFINITY });
    const durationMs = performance.now() - started;
    durationsMs.push(durationMs);
    totalMs += durationMs;
    if (durationMs > 2_000) break;
  }
  return summary(durationsMs).p50 * 1_000;
}
