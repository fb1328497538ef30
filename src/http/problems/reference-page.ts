import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../lib/package-root.ts";
import { problemReference } from "./page.ts";

/** The page that lists the problems; `npm run docs` writes its generated part. */
export const errorsPage = new URL("docs/errors/README.md", packageRoot);

const begin = "<!-- problems: generated from src/http/problems/problems -->";
const end = "<!-- end of problems -->";

/** The page with the problems as they are now. */
export function withProblems(page: string): string {
  const head = page.slice(0, page.indexOf(begin));
  const tail = page.slice(page.indexOf(end));
  return `${head}${begin}\n\n${problemReference()}\n${tail}`;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(errorsPage, withProblems(await readFile(errorsPage, "utf8")));
}
