import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { withGeneratedPart } from "../../lib/generated-part.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { problemReference } from "./page.ts";

/** `npm run docs` regenerates its problems. */
export const errorsPage = new URL("docs/errors/README.md", packageRoot);

const markers = ["<!-- problems: generated from the code -->", "<!-- end of problems -->"] as const;

export function withProblems(page: string): string {
  return withGeneratedPart(page, markers, problemReference());
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(errorsPage, withProblems(await readFile(errorsPage, "utf8")));
}
