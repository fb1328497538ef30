import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const pages = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
  { cwd: root, encoding: "utf8" },
)
  .split("\n")
  .filter((page) => page !== "" && existsSync(join(root, page)));

/** Links outside code. */
function pageLinks(page: string): string[] {
  const prose = readFileSync(join(root, page), "utf8")
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
}

/** The anchors that repository hosts generate. */
function pageAnchors(page: string): Set<string> {
  const headings = readFileSync(join(root, page), "utf8").matchAll(/^#{1,6} (.+)$/gm);
  const slug = (heading: string) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
      .replaceAll(" ", "-");
  return new Set([...headings].map((match) => slug(match[1] ?? "")));
}

test("the pages of the repository are found", () => {
  expect(pages).toContain("README.md");
  expect(pages.length).toBeGreaterThan(15);
});

test.for(pages)("the links of %s lead to existing pages and headings", (page) => {
  for (const link of pageLinks(page)) {
    if (/^[a-z]+:/.test(link)) continue;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? page : relative(root, join(root, dirname(page), path));
    expect(existsSync(join(root, target)), `${page} links to ${link}`).toBe(true);
    if (anchor !== undefined && target.endsWith(".md")) {
      expect(pageAnchors(target), `${page} links to ${link}`).toContain(anchor);
    }
  }
});

test("every page of docs/ can be reached from the README", () => {
  const reached = new Set<string>();
  const visit = (page: string): void => {
    if (reached.has(page) || !pages.includes(page)) return;
    reached.add(page);
    for (const link of pageLinks(page)) {
      const path = link.split("#")[0] ?? "";
      if (path !== "" && !/^[a-z]+:/.test(path))
        visit(relative(root, join(root, dirname(page), path)));
    }
  };
  visit("README.md");
  const unreached = pages.filter((page) => page.startsWith("docs/") && !reached.has(page));
  expect(unreached).toEqual([]);
});

test("the index of decisions names every decision", () => {
  const index = readFileSync(join(root, "docs/decisions/README.md"), "utf8");
  const records = pages.filter((page) => /^docs\/decisions\/\d{4}-.+\.md$/.test(page));
  expect(records.length).toBeGreaterThan(10);
  for (const record of records) expect(index).toContain(record.replace("docs/decisions/", ""));
});
