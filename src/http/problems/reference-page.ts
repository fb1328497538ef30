import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { withGeneratedPart } from "../../lib/generated-part.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { problemReference } from "./page.ts";

/** The page that lists the problems; `npm run docs` writes its generated part. */
export const errorsPage = new URL("docs/errors/README.md", packageRoot);

const markers = ["<!-- problems: generated from the code -->", "<!-- end of problems -->"] as const;

/** The page with the problems as they are now. */
export function withProblems(page: string): string {
  return withGeneratedPart(page, markers, problemReference());
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(errorsPage, withProblems(await readFile(errorsPage, "utf8")));
}
