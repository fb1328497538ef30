import { analyzeText } from "@earshot/query/text";
import { readImportRecord, toPost } from "../src/ingest/import/record.ts";
import type { Post } from "../src/posts/post.ts";
import { indexTerms } from "../src/posts/terms.ts";
import { iraPosts, requireData, toRecord } from "./ira.ts";
import { command } from "./measure.ts";

/**
 * Speed of analysing the texts alone, and of making all index terms, on one core. Each run takes a
 * share of the real posts that fits into memory: node bench/analyzer.ts [STRIDE]
 */
requireData();
const runs = 5;
const stride = Number(process.argv[2] ?? 3);

const posts: Post[] = [];
let postsRead = 0;
for await (const post of iraPosts()) {
  postsRead += 1;
  if (postsRead % stride === 0)
    posts.push(toPost(readImportRecord(toRecord(post)), "x", Date.now()));
}
console.log(`${command()}\n`);
console.log(`every ${stride}th of ${postsRead} posts, ${runs} runs of each`);
report("the text", (post) => analyzeText(post.text, { dottedHandles: false }).tokens.length);
report("the whole post", (post) => indexTerms(post).length);

function report(name: string, analyse: (post: Post) => number): void {
  let tokens = 0;
  const rates = Array.from({ length: runs }, () => {
    const started = performance.now();
    for (const post of posts) tokens += analyse(post);
    return posts.length / ((performance.now() - started) / 1_000);
  }).sort((a, b) => a - b);
  const [median, slowest, fastest] = [rates[Math.floor(runs / 2)], rates[0], rates.at(-1)].map(
    (rate) => Math.round(rate ?? 0).toLocaleString("en"),
  );
  const perPost = (tokens / posts.length / runs).toFixed(1);
  console.log(`${name}: ${median} posts/s (${slowest} to ${fastest}), ${perPost} tokens a post`);
}
