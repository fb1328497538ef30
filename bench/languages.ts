import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { dataFolder, iraPosts, requireData, toRecord } from "./ira.ts";
import { command, table } from "./measure.ts";

/**
 * Quality and speed of language detection. The labels in the data set were detected too, so either
 * may be wrong; those of Thai posts and Japanese sentences are certain. More texts, in lines of
 * `<language>\t<text>`: node bench/languages.ts [FILE …]
 */
requireData();
const started = performance.now();
const rssBefore = process.memoryUsage().rss;
const { detectLanguage } = await import("../src/posts/detect-language.ts");
detectLanguage("Wie lange dauert das erste Mal?");
const loadMs = performance.now() - started;
const loadMb = (process.memoryUsage().rss - rssBefore) / 2 ** 20;

type LabelledText = { language: string; text: string };

/** Rarer labels are mostly wrong in the data set. */
const minPosts = 10_000;

const groups: { name: string; posts: LabelledText[] }[] = [
  { name: "posts of the data set", posts: await readDataSet() },
  { name: "Thai posts, Japanese sentences", posts: certainTexts() },
  ...process.argv.slice(2).map((file) => ({ name: file, posts: readLabelledFile(file) })),
];
console.log(`${command()}\n`);
for (const { name, posts } of groups) report(name, posts);
console.log(`\nloading: ${loadMs.toFixed(0)} ms, ${loadMb.toFixed(0)} MB`);

async function readDataSet(): Promise<LabelledText[]> {
  const posts: LabelledText[] = [];
  const counts = new Map<string, number>();
  for await (const post of iraPosts()) {
    const { lang } = toRecord(post) as { lang?: string };
    if (lang === undefined) continue;
    counts.set(lang, (counts.get(lang) ?? 0) + 1);
    posts.push({ language: lang, text: post.text });
  }
  return posts.filter(({ language }) => (counts.get(language) ?? 0) >= minPosts);
}

function certainTexts(): LabelledText[] {
  const thai = gunzipSync(readFileSync(join(dataFolder, "posts/thai_wisesight.ndjson.gz")))
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ language: "th", text: String(JSON.parse(line).text) }));
  const japanese = readFileSync(join(dataFolder, "lang/ja_ud_gsd_dev_test_tokens.txt"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ language: "ja", text: line.replaceAll("|", "") }));
  return [...thai, ...japanese];
}

function readLabelledFile(file: string): LabelledText[] {
  if (!existsSync(file)) throw new Error(`no such file: ${file}`);
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [language = "", text = ""] = line.split("\t");
      return text === "" ? [] : [{ language, text }];
    });
}

function report(name: string, posts: readonly LabelledText[]): void {
  const start = performance.now();
  const detected = posts.map(({ text }) => detectLanguage(text));
  const seconds = (performance.now() - start) / 1_000;
  console.log(
    `${name}: ${posts.length} texts, ${(posts.length / seconds).toFixed(0)} a second on one core\n`,
  );
  const languages = [...new Set(posts.map(({ language }) => language))].sort();
  const rows = languages.map((language) => row(language, posts, detected));
  console.log(
    table(
      ["language", "texts", "right %", "wrong %", "undecided %", "precision %"],
      [...rows, overall(posts, detected)],
    ),
  );
  console.log("");
}

function row(
  language: string,
  posts: readonly LabelledText[],
  detected: readonly (string | null)[],
): string[] {
  const ownResults = detected.filter((_, index) => posts[index]?.language === language);
  const right = ownResults.filter((result) => result === language).length;
  const undecided = ownResults.filter((result) => result === null).length;
  const detectedCount = detected.filter((each) => each === language).length;
  return cells(language, ownResults.length, right, undecided, detectedCount);
}

function overall(posts: readonly LabelledText[], detected: readonly (string | null)[]): string[] {
  const right = detected.filter((each, index) => each === posts[index]?.language).length;
  const undecided = detected.filter((each) => each === null).length;
  return cells("all", posts.length, right, undecided, posts.length - undecided);
}

function cells(
  name: string,
  texts: number,
  right: number,
  undecided: number,
  detectedCount: number,
): string[] {
  const percent = (part: number, whole: number): string =>
    whole === 0 ? "–" : ((part / whole) * 100).toFixed(1);
  return [
    name,
    String(texts),
    percent(right, texts),
    percent(texts - right - undecided, texts),
    percent(undecided, texts),
    percent(right, detectedCount),
  ];
}
