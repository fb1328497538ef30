import { readdir } from "node:fs/promises";
import { posix } from "node:path";
import { packageRoot } from "../../lib/package-root.ts";
import { isProblemCode, type ProblemCode, problemCodes } from "../problems/problems.ts";
import type { OpenApi } from "./open-api.ts";
import { referenceNames } from "./reference.ts";

export const docsFolder = new URL("docs/", packageRoot);

/**
 * Files of docs/ by path under `/docs`; only these are served. The pages of problems and of the API
 * reference are generated.
 */
export type PageTree = ReadonlyMap<string, string>;

const folders = ["", "errors", "decisions"];

export async function readPageTree(api: OpenApi): Promise<PageTree> {
  const tree = new Map<string, string>();
  for (const folder of folders) {
    const names = await readdir(new URL(folder === "" ? "./" : `${folder}/`, docsFolder));
    for (const name of names.sort()) {
      const file = posix.join(folder, name);
      if (/\.(?:md|svg)$/.test(name)) tree.set(pagePath(file), file);
    }
  }
  const generatedFiles = [
    ...problemCodes.map((code) => `errors/${code}.md`),
    ...referenceNames(api).map((name) => `reference/${name}.md`),
  ];
  for (const file of generatedFiles) tree.set(pagePath(file), file);
  return tree;
}

export function pageProblem(file: string): ProblemCode | null {
  const code = /^errors\/(\w+)\.md$/.exec(file)?.[1] ?? "";
  return isProblemCode(code) ? code : null;
}

export function pageReference(file: string): string | null {
  return /^reference\/(\w+)\.md$/.exec(file)?.[1] ?? null;
}

/** `errors/README.md` becomes `/errors`; images keep their names. */
export function pagePath(file: string): string {
  return `/${file}`.replace(/\/README\.md$/, "").replace(/\.md$/, "");
}

/** Null if the page is not served; web URLs and anchors stay unchanged. */
export function addressIn(tree: PageTree, page: string): (target: string) => string | null {
  return (target) => {
    if (/^(?:https?:|#|\/(?!\/))/.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const servedPath = pagePath(posix.join(posix.dirname(page), path));
    if (!tree.has(servedPath)) return null;
    const address = `/docs${servedPath}`;
    return anchor === undefined ? address : `${address}#${anchor}`;
  };
}
