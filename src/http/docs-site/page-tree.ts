import { readdir } from "node:fs/promises";
import { posix } from "node:path";
import { packageRoot } from "../../lib/package-root.ts";
import { isProblemCode, type ProblemCode, problemCodes } from "../problems/problems.ts";

/** Where the pages lie. */
export const docsFolder = new URL("docs/", packageRoot);

/**
 * The pages that are served, by the path behind `/docs`: "" is the page itself, then `/api`, `/errors/invalid_query` … Values are
 * files of docs/; those of problems are generated.
 */
export type PageTree = ReadonlyMap<string, string>;

const folders = ["", "errors", "decisions"];

/** Lists the folder; nothing that is not listed here can be asked for. */
export async function readPageTree(): Promise<PageTree> {
  const tree = new Map<string, string>();
  for (const folder of folders) {
    const names = await readdir(new URL(folder === "" ? "./" : `${folder}/`, docsFolder));
    for (const name of names.sort()) {
      const file = posix.join(folder, name);
      if (/\.(?:md|svg)$/.test(name)) tree.set(pathOf(file), file);
    }
  }
  for (const code of problemCodes) tree.set(`/errors/${code}`, `errors/${code}.md`);
  return tree;
}

/** The problem whose generated page the file is; null for a file on disk. */
export function problemOf(file: string): ProblemCode | null {
  const code = /^errors\/(\w+)\.md$/.exec(file)?.[1] ?? "";
  return isProblemCode(code) ? code : null;
}

/** `api.md` is served at `/api`, `errors/README.md` at `/errors`, a picture under its own name. */
export function pathOf(file: string): string {
  return `/${file}`.replace(/\/README\.md$/, "").replace(/\.md$/, "");
}

/**
 * Where a link of a page leads when the page is served: an address of the web stays, a file of the tree becomes its path, and
 * null says that the target is not served.
 */
export function addressIn(tree: PageTree, page: string): (target: string) => string | null {
  return (target) => {
    if (/^(?:https?:|#)/.test(target)) return target;
    const [path = "", anchor] = target.split("#");
    const served = pathOf(posix.join(posix.dirname(page), path));
    if (!tree.has(served)) return null;
    const address = `/docs${served}`;
    return anchor === undefined ? address : `${address}#${anchor}`;
  };
}
