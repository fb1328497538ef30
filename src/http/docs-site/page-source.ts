import { readFile } from "node:fs/promises";
import { problemPage } from "../problems/page.ts";
import type { OpenApi } from "./open-api.ts";
import { docsFolder, pageProblem, pageReference } from "./page-tree.ts";
import { referencePage } from "./reference.ts";

export async function readPage(file: string, api: OpenApi): Promise<string> {
  const problem = pageProblem(file);
  if (problem !== null) return problemPage(problem);
  const reference = pageReference(file);
  if (reference !== null) return referencePage(api, reference);
  return await readFile(new URL(file, docsFolder), "utf8");
}
