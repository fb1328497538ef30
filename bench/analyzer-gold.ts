import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  analyzeText,
  findLinks,
  findMentions,
  phraseSequence,
  querySequence,
  type SequenceElement,
  splitIntoRuns,
  type TextSpan,
} from "@earshot/query/text";
import {
  casesFolder,
  hasCases,
  type Outcome,
  runCases,
  skippedGroups,
} from "../testkit/conformance/twitter-text.ts";
import { matchesSequence } from "../testkit/data/matches-sequence.ts";
import { dataFolder } from "./ira.ts";
import { command, table } from "./measure.ts";

/**
 * Compares entities with twitter-text's published cases, and measures search in Thai posts and
 * Japanese sentences with marked words. A text should be found by the words that are marked in it.
 */
function reportCases(outcomes: readonly Outcome[]): void {
  const groups = Map.groupBy(outcomes, ({ group }) => group);
  const agrees = ({ expected, actual }: Outcome): boolean => expected === actual;
  const rows = [...groups].map(([group, cases]) =>
    cells(group, cases.length, cases.filter(agrees).length),
  );
  rows.push(cells("all", outcomes.length, outcomes.filter(agrees).length));
  console.log(`${table(["twitter-text group", "cases", "agree", "%"], rows)}\n`);
  for (const [group, reason] of Object.entries(skippedGroups)) {
    console.log(`does not apply: ${group} – ${reason}`);
  }
  for (const outcome of outcomes.filter((outcome) => !agrees(outcome))) {
    const { group, description, text, expected, actual } = outcome;
    console.log(`differs: ${group} – ${description}: ${text} gives ${actual}, not ${expected}`);
  }
  console.log("");
}

function cells(name: string, total: number, count: number): string[] {
  return [name, String(total), String(count), percent(count, total)];
}

/** The text has no white space. */
type MarkedText = { text: string; tokens: readonly string[]; words: readonly MarkedWord[] };
type MarkedWord = TextSpan & { word: string };

function readTexts(path: string): MarkedText[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map(readText);
}

function readText(line: string): MarkedText {
  const words: MarkedWord[] = [];
  let text = "";
  for (const word of line.split("|")) {
    const start = text.length;
    text += word;
    if (word.trim() !== "") words.push({ word, start, end: text.length });
  }
  return { text, tokens: analyzeText(text).tokens, words };
}

type Query = { queryText: string; elements: SequenceElement[]; truth: Map<MarkedText, TextSpan> };
type Kind = {
  name: string;
  words: number;
  write: (words: readonly MarkedWord[], text: string) => string | null;
  read: (queryText: string) => SequenceElement[];
};

const originalText = (words: readonly MarkedWord[], text: string): string =>
  text.slice(words[0]?.start, words.at(-1)?.end);
const unspacedText = (words: readonly MarkedWord[], text: string): string | null =>
  /\s/.test(originalText(words, text)) ? null : originalText(words, text);
const joinWithSpaces = (words: readonly MarkedWord[]): string =>
  words.map(({ word }) => word).join(" ");

const kinds: readonly Kind[] = [
  { name: "a word", words: 1, write: originalText, read: querySequence },
  { name: "a phrase of 2, as in the text", words: 2, write: originalText, read: phraseSequence },
  { name: "a phrase of 3, as in the text", words: 3, write: originalText, read: phraseSequence },
  { name: "2 adjacent words, unquoted", words: 2, write: unspacedText, read: querySequence },
  { name: "3 adjacent words, unquoted", words: 3, write: unspacedText, read: querySequence },
  {
    name: "a phrase of 2 adjacent words, with a space",
    words: 2,
    write: joinWithSpaces,
    read: phraseSequence,
  },
];

function listQueries(texts: readonly MarkedText[], kind: Kind): Query[] {
  const queries = new Map<string, Query>();
  for (const marked of texts) {
    for (const index of marked.words.keys()) {
      const words = marked.words.slice(index, index + kind.words);
      if (words.length < kind.words || words.some(({ word }) => hasNoToken(word))) continue;
      const queryText = kind.write(words, marked.text);
      if (queryText === null) continue;
      const query = queries.get(queryText) ?? {
        queryText,
        elements: kind.read(queryText),
        truth: new Map(),
      };
      query.truth.set(marked, { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 });
      queries.set(queryText, query);
    }
  }
  return [...queries.values()];
}

const hasNoToken = (word: string): boolean => querySequence(word).length === 0;

function reportWords(language: string, texts: readonly MarkedText[]): void {
  const byToken = new Map<string, Set<MarkedText>>();
  for (const text of texts) {
    for (const token of text.tokens) {
      byToken.set(token, (byToken.get(token) ?? new Set()).add(text));
    }
  }
  const search = (elements: readonly SequenceElement[]): MarkedText[] => {
    const [first] = elements;
    const candidates = first?.kind === "token" ? (byToken.get(first.token) ?? []) : texts;
    return [...candidates].filter(({ tokens }) => matchesSequence(elements, tokens));
  };
  const reasons = new Map<string, string[]>();
  const rows = kinds.map((kind) => {
    const misses = kind.write === joinWithSpaces ? new Map<string, string[]>() : reasons;
    return measure(kind.name, listQueries(texts, kind), search, misses);
  });
  console.log(`${language}, ${texts.length} texts\n`);
  console.log(table(["query", "queries", "recall %", "precision %", "empty results %"], rows));
  console.log("");
  for (const [reason, misses] of reasons) {
    console.log(
      `missed because ${reason}: ${misses.length}, such as ${misses.slice(0, 6).join(", ")}`,
    );
  }
  console.log("");
}

function measure(
  name: string,
  queries: readonly Query[],
  search: (elements: readonly SequenceElement[]) => readonly MarkedText[],
  reasons: Map<string, string[]>,
): string[] {
  let expectedHits = 0;
  let correctHits = 0;
  let totalHits = 0;
  let emptyResults = 0;
  for (const { queryText, elements, truth } of queries) {
    const hits = new Set(search(elements));
    expectedHits += truth.size;
    totalHits += hits.size;
    emptyResults += hits.size === 0 ? 1 : 0;
    for (const [{ text }, span] of [...truth].filter(([marked]) => !hits.has(marked))) {
      const reason = missReason(text, span);
      reasons.set(reason, [...(reasons.get(reason) ?? []), queryText]);
    }
    correctHits += [...hits].filter((text) => truth.has(text)).length;
  }
  const shares = [
    percent(correctHits, expectedHits),
    percent(correctHits, totalHits),
    percent(emptyResults, queries.length),
  ];
  return [name, String(queries.length), ...shares];
}

function missReason(text: string, span: TextSpan): string {
  const hidden = [...findLinks(text), ...findMentions(text, { dottedHandles: true })];
  if (hidden.some(({ start, end }) => start < span.end && span.start < end)) {
    return "it is part of a link or a mention";
  }
  if (text[span.start] === "&" || text[span.end] === ";") return "it cuts an HTML entity";
  if (isWithinWord(text, span.start) || isWithinWord(text, span.end)) {
    return "it begins or ends within a word of letters and digits, or within a character";
  }
  return "of an unknown reason";
}

function isWithinWord(text: string, offset: number): boolean {
  const previousCharacter = Array.from(text.slice(Math.max(0, offset - 8), offset)).at(-1) ?? "";
  const nextCharacter = Array.from(text.slice(offset, offset + 2))[0] ?? "";
  if (/^\p{M}/u.test(nextCharacter)) return true;
  return units(previousCharacter + nextCharacter) < units(previousCharacter) + units(nextCharacter);
}

const units = (text: string): number =>
  splitIntoRuns(text).reduce((sum, run) => sum + (typeof run === "string" ? 1 : run.length), 0);

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : ((part / whole) * 100).toFixed(2);
}

console.log(`${command()}\n`);
if (hasCases) reportCases(runCases());
else console.log(`no twitter-text cases in ${casesFolder}\n`);
for (const [language, file] of [
  ["Thai", "th_wisesight1000_tokens.txt"],
  ["Japanese", "ja_ud_gsd_dev_test_tokens.txt"],
] as const) {
  const path = join(dataFolder, "lang", file);
  if (existsSync(path)) reportWords(language, readTexts(path));
  else console.log(`no marked words in ${path}\n`);
}
