import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { analyzeText } from "../src/text/analyze.ts";

// Posts analysed a second on one core, over real posts: node bench/analyzer.ts
const folder = new URL("../../shared/data/ira_tweets/", import.meta.url);
const files = ["ira_00.ndjson.gz", "ira_04.ndjson.gz"].map((name) => new URL(name, folder));
const runs = 7;

if (!files.every((file) => existsSync(file))) {
  console.error(
    `no posts to measure with: put ira_00.ndjson.gz and ira_04.ndjson.gz into ${folder.pathname}`,
  );
  process.exit(1);
}

const texts = files.flatMap(readTexts);
console.log(`${texts.length} posts, ${runs} runs`);
const rates = Array.from({ length: runs }, measure).sort((a, b) => a - b);
const median = rates[Math.floor(runs / 2)] ?? 0;
console.log(
  `median ${round(median)} posts/s (${round(rates[0] ?? 0)} to ${round(rates.at(-1) ?? 0)})`,
);

function readTexts(file: URL): string[] {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => String(JSON.parse(line).text));
}

function measure(): number {
  const started = performance.now();
  let tokens = 0;
  for (const text of texts) tokens += analyzeText(text).tokens.length;
  const seconds = (performance.now() - started) / 1000;
  const rate = texts.length / seconds;
  console.log(`${round(rate)} posts/s, ${(tokens / texts.length).toFixed(1)} tokens a post`);
  return rate;
}

function round(rate: number): string {
  return Math.round(rate).toLocaleString("en");
}
