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

/** With a standard term in docs/glossary.md, or archaic. */
const bannedInProse =
  /\b(?:whoever|somebody|nobody|anew|thereof|hitherto|unjudged|strayed|come[s]? to be|came to be|as it were|(?:is|are|was|were) told)\b/i;

const bannedInNames = new Set(
  "asked told held fault faults remark remarks strayed unjudged stranger whoever somebody nobody mend wishes elsewhere".split(
    " ",
  ),
);

/** Block comment lines begin with a star. */
function commentsOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line))
    .join("\n");
}

/** With its surroundings. */
function firstMatch(pattern: RegExp, text: string): string | null {
  const found = pattern.exec(text);
  return found === null ? null : text.slice(Math.max(0, found.index - 40), found.index + 40);
}

test("documentation uses the glossary's terms and no archaic words", () => {
  const pages = tracked("*.md").filter((path) => !path.startsWith("test/"));
  expect(pages).toContain("docs/api.md");
  for (const path of pages) {
    // Code is quoted as it is: example accounts are called `somebody`.
    const prose = read(path).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, "");
    expect(firstMatch(bannedInProse, prose), path).toBeNull();
  }
});

test("comments use the glossary's terms and no archaic words", () => {
  const files = tracked("src", "packages", "web", "testkit").filter((path) => /\.tsx?$/.test(path));
  expect(files).toContain("src/server/start.ts");
  for (const path of files) {
    expect(firstMatch(bannedInProse, commentsOf(read(path))), path).toBeNull();
  }
});

test("exported names are the glossary's terms", () => {
  const files = tracked("src", "packages").filter((path) => /(?<!\.test)\.tsx?$/.test(path));
  const declared =
    /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|type|interface) (\w+)/gm;
  const names = files.flatMap((path) => [...read(path).matchAll(declared)].map(([, name]) => name));
  expect(names).toContain("startService");
  const wordsOf = (name = ""): string[] =>
    name
      .replaceAll(/([A-Z])/g, " $1")
      .toLowerCase()
      .split(" ");
  expect(names.filter((name) => wordsOf(name).some((word) => bannedInNames.has(word)))).toEqual([]);
});
