import { packageRoot } from "../../lib/package-root.ts";
import type { AcceptedEncoding } from "../built-files/accepts-encoding.ts";
import { createBuiltFiles, makeServedFile, type ServedFile } from "../built-files/built-files.ts";
import { linksAsServed } from "./links-as-served.ts";
import { llmsText } from "./llms-text.ts";
import type { OpenApi } from "./open-api.ts";
import { readPage } from "./page-source.ts";
import { addressIn, type PageTree, pagePath, readPageTree } from "./page-tree.ts";

/** `npm run prepare` builds it (html/write-site.ts). */
export const builtDocs = new URL("dist/docs/", packageRoot);

export type ServedPages = {
  /** Null if unknown. The path has no ending. */
  findSource(path: string): Promise<ServedFile | null>;
  /** Null if unknown or not built. */
  findHtml(path: string, encoding: AcceptedEncoding): Promise<ServedFile | null>;
  /** The redirect of a path with a trailing slash or `.md`; null if there is no such page. */
  pageAddress(path: string): Promise<string | null>;
  findSearchIndex(encoding: AcceptedEncoding): Promise<ServedFile | null>;
  llms(): Promise<ServedFile>;
};

export function createServedPages(openApi: () => Promise<Buffer>): ServedPages {
  const description = memoise(async (): Promise<OpenApi> => JSON.parse(String(await openApi())));
  const tree = memoise(async () => await readPageTree(await description()));
  const sources = new Map<string, () => Promise<ServedFile>>();
  const built = createBuiltFiles(builtDocs);

  async function findSource(path: string): Promise<ServedFile | null> {
    const pageTree = await tree();
    const file = pageTree.get(path);
    if (file === undefined) return null;
    const source = sources.get(path) ?? memoise(() => makeSource(pageTree, file));
    sources.set(path, source);
    return await source();
  }

  async function makeSource(pageTree: PageTree, file: string): Promise<ServedFile> {
    const text = await readPage(file, await description());
    if (file.endsWith(".svg")) return makeServedFile("image/svg+xml; charset=utf-8", text);
    return makeServedFile(
      "text/markdown; charset=utf-8",
      linksAsServed(text, addressIn(pageTree, file)),
    );
  }

  async function findHtml(path: string, encoding: AcceptedEncoding): Promise<ServedFile | null> {
    const file = (await tree()).get(path);
    if (file === undefined || file.endsWith(".svg")) return null;
    return await built.find(builtName(path), encoding);
  }

  async function pageAddress(path: string): Promise<string | null> {
    const served = pagePath(path.replace(/^\//, "")).replace(/\/$/, "");
    return served !== path && (await tree()).has(served) ? `/docs${served}` : null;
  }

  const llms = memoise(async () =>
    makeServedFile("text/plain; charset=utf-8", llmsText(await description())),
  );

  const findSearchIndex = (encoding: AcceptedEncoding) => built.find("search.json", encoding);

  return { findSource, findHtml, pageAddress, findSearchIndex, llms };
}

export function builtName(path: string): string {
  return path === "" ? "index.html" : `${path.slice(1)}.html`;
}

function memoise<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let promise: Promise<Value> | null = null;
  return () => {
    promise ??= make().catch((error: unknown) => {
      promise = null;
      throw error;
    });
    return promise;
  };
}
