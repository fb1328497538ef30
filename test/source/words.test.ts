import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

function tracked(...paths: string[]): string[] {
  const list = execFileSync("git", ["ls-files", "-z", ...paths], { cwd: root, encoding: "utf8" });
  return list.split("\0").filter((path) => path !== "");
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Archaic words, and words with a standard term in docs/glossary.md. */
const inProse = [
  "whoever",
  "whomever",
  "everybody",
  "thereof",
  "therein",
  "hitherto",
  "whence",
  "thence",
  "whereby",
  "unjudged",
  "strayed",
  "diary",
  "remarks?",
  "judges?",
  "it were",
  "comes? to be",
  "came to be",
  "whatsoever",
  "somebody",
  "nobody",
  "anybody",
  "anew",
  "mends?",
  "mended",
  "hands? over",
  "as it stands",
  "lies in",
  "ways? out",
  "(?:is|are|was|were) told",
];
/** Documentation may use these in their ordinary senses. */
const inCode = [...inProse, "told", "tells", "stands?(?: for)?", "strangers?"];

const makePattern = (words: readonly string[]): RegExp =>
  new RegExp(`\\b(?:${words.join("|")})\\b`, "i");

const bannedInNames = new Set(
  (
    "asks askings asked tell tells telling told held kept fault faults remark remarks strayed unjudged stranger " +
    "whoever somebody nobody anew mend wish wishes wanted elsewhere place places placed placing stand stands standing " +
    "way ways upkeep care diary strikes judge judged looked unseal gone taken lie lies arrivals"
  ).split(" "),
);

/** Block comment lines begin with a star. */
const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line);
const readLines = (text: string, isIncluded: (line: string) => boolean): string =>
  text.split("\n").filter(isIncluded).join("\n");

/** Strings of several words, without interpolated values. */
function readMessages(text: string): string[] {
  const code = readLines(text, (line) => !isComment(line));
  return [...code.matchAll(/"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g)]
    .map(([literal]) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, ""))
    .filter((literal) => /[a-z] [a-z]/.test(literal));
}

function readTitles(text: string): string[] {
  const call =
    /(?<![\w."'`])(?:test|it|describe|withFileStore)(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?\(\s*(?<title>(?<quote>["'`])(?:\\.|(?!\k<quote>)[\s\S])*\k<quote>)/g;
  return [...text.matchAll(call)].map(({ groups }) => (groups?.title ?? "").slice(1, -1));
}

/** The first strings of the rows of `test.each`, if they are of several words. */
function readRowNames(text: string): string[] {
  const tables =
    /\.each(?:<[^(]*>)?\(\s*(?:(?<name>\w+)\)|\[(?<rows>[\s\S]*?)\](?: as const)?,?\s*\)\()/g;
  return [...text.matchAll(tables)].flatMap(({ groups }) => {
    const rows = groups?.rows ?? readArray(text, groups?.name ?? "");
    const isNested = rows.trimStart().startsWith("[");
    const name = isNested
      ? /(?:^|[^\w)\]]\s*|\],\s*)\[\s*"(?<name>(?:\\.|[^"\\\n])*)"/g
      : /"(?<name>(?:\\.|[^"\\\n])*)"/g;
    return [...rows.matchAll(name)]
      .map((match) => match.groups?.name ?? "")
      .filter((row) => /[a-z] [a-z]/.test(row));
  });
}

function readArray(text: string, name: string): string {
  const declared = new RegExp(`^const ${name}\\b[^=]*= \\[(?<rows>[\\s\\S]*?)^\\]`, "m");
  return declared.exec(text)?.groups?.rows ?? "";
}

/** The first match outside of code, with the text around it, or null. */
function firstMatch(words: readonly string[], text: string): string | null {
  const prose = text.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "");
  const found = makePattern(words).exec(prose);
  return found === null ? null : prose.slice(Math.max(0, found.index - 40), found.index + 40);
}

test("documentation uses the glossary's terms and no archaic words", () => {
  const pages = tracked("*.md").filter((path) => !path.startsWith("test/"));
  expect(pages).toContain("docs/api.md");
  for (const path of pages) {
    expect(firstMatch(inProse, read(path)), path).toBeNull();
  }
});

test("comments use the glossary's terms and no archaic words", () => {
  const files = tracked("src", "packages", "web", "testkit", "test", "bench").filter(
    (path) => /\.(?:tsx?|mjs)$/.test(path) && path !== "test/source/words.test.ts",
  );
  expect(files).toContain("src/server/start.ts");
  for (const path of files) {
    expect(firstMatch(inCode, readLines(read(path), isComment)), path).toBeNull();
  }
});

test("messages use the glossary's terms and no archaic words", () => {
  const files = tracked("src", "packages", "web").filter((path) => /(?<!\.test)\.tsx?$/.test(path));
  const messages = files.flatMap((path) =>
    readMessages(read(path)).map((text) => ({ path, text })),
  );
  expect(messages.length).toBeGreaterThan(1_000);
  for (const { path, text } of messages) expect(firstMatch(inCode, text), path).toBeNull();
});

test("test titles use the glossary's terms and no archaic words", () => {
  const files = tracked("src", "packages", "web", "test").filter((path) =>
    /\.test\.tsx?$/.test(path),
  );
  const titles = files.flatMap((path) => readTitles(read(path)).map((text) => ({ path, text })));
  expect(titles.length).toBeGreaterThan(1_000);
  for (const { path, text } of titles) expect(firstMatch(inCode, text), path).toBeNull();
});

test("the row names of test tables use the glossary's terms and no archaic words", () => {
  const files = tracked("src", "packages", "web", "test").filter((path) =>
    /\.test\.tsx?$/.test(path),
  );
  const names = files.flatMap((path) => readRowNames(read(path)).map((text) => ({ path, text })));
  expect(names.length).toBeGreaterThan(500);
  for (const { path, text } of names) expect(firstMatch(inCode, text), path).toBeNull();
});

test("exported names are the glossary's terms", () => {
  const files = tracked("src", "packages").filter((path) => /(?<!\.test)\.tsx?$/.test(path));
  const declared =
    /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
  const names = files.flatMap((path) => [...read(path).matchAll(declared)].map(([, name]) => name));
  expect(names).toContain("startService");
  const getWords = (name = ""): string[] =>
    name
      .replaceAll(/([A-Z])/g, " $1")
      .toLowerCase()
      .split(" ");
  expect(names.filter((name) => getWords(name).some((word) => bannedInNames.has(word)))).toEqual(
    [],
  );
});
