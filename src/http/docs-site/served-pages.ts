import { packageRoot } from "../../lib/package-root.ts";
import {
  type AcceptedEncoding,
  createBuiltFiles,
  makeServedFile,
  type ServedFile,
} from "../built-files/built-files.ts";
import { makeNavigation } from "./navigation.ts";
import type { OpenApi } from "./open-api.ts";
import { readPage } from "./page-source.ts";
import { addressIn, type PageTree, pagePath, readPageTree } from "./page-tree.ts";

/** `npm run prepare` builds it (html/write-site.ts). */
export const builtDocs = new URL("dist/docs/", packageRoot);

export type ServedPages = {
  /** Expects a path without `.md`; null if it is unknown. */
  findSource(path: string): Promise<ServedFile | null>;
  /** Null if unknown or not built. */
  findHtml(path: string, encoding: AcceptedEncoding): Promise<ServedFile | null>;
  /** The redirect for a path with a trailing slash or `.md`; null if there is no such page. */
  pageAddress(path: string): Promise<string | null>;
  findSearchIndex(encoding: AcceptedEncoding): Promise<ServedFile | null>;
  llms(): Promise<ServedFile>;
};

export function createServedPages(openApi: () => Promise<Buffer>): ServedPages {
  const readOpenApi = memoise(async (): Promise<OpenApi> => JSON.parse(String(await openApi())));
  const readTree = memoise(async () => await readPageTree(await readOpenApi()));
  const sources = new Map<string, () => Promise<ServedFile>>();
  const builtFiles = createBuiltFiles(builtDocs);

  async function findSource(path: string): Promise<ServedFile | null> {
    const pageTree = await readTree();
    const file = pageTree.get(path);
    if (file === undefined) return null;
    const source = sources.get(path) ?? memoise(() => makeSource(pageTree, file));
    sources.set(path, source);
    return await source();
  }

  async function makeSource(pageTree: PageTree, file: string): Promise<ServedFile> {
    const text = await readPage(file, await readOpenApi());
    if (file.endsWith(".svg")) return makeServedFile("image/svg+xml; charset=utf-8", text);
    return makeServedFile(
      "text/markdown; charset=utf-8",
      linksAsServed(text, addressIn(pageTree, file)),
    );
  }

  async function findHtml(path: string, encoding: AcceptedEncoding): Promise<ServedFile | null> {
    const file = (await readTree()).get(path);
    if (file === undefined || file.endsWith(".svg")) return null;
    return await builtFiles.find(builtName(path), encoding);
  }

  async function pageAddress(path: string): Promise<string | null> {
    const servedPath = pagePath(path.replace(/^\//, "")).replace(/\/$/, "");
    return servedPath !== path && (await readTree()).has(servedPath) ? `/docs${servedPath}` : null;
  }

  const llms = memoise(async () =>
    makeServedFile("text/plain; charset=utf-8", llmsText(await readOpenApi())),
  );

  const findSearchIndex = (encoding: AcceptedEncoding) => builtFiles.find("search.json", encoding);

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

/** Replaces links to unserved pages with their text. */
export function linksAsServed(
  text: string,
  resolveLink: (target: string) => string | null,
): string {
  let inCode = false;
  const lines = text.split("\n").map((line) => {
    if (line.startsWith("```")) inCode = !inCode;
    return inCode ? line : lineAsServed(line, resolveLink);
  });
  return lines.join("\n");
}

function lineAsServed(line: string, resolveLink: (target: string) => string | null): string {
  return line.replaceAll(
    /(!?)\[((?:`[^`]*`|[^`[\]])*)\]\(([^()\s]+)\)|`[^`]*`/g,
    (whole: string, picture: string | undefined, name: string, target: string | undefined) => {
      if (target === undefined) return whole;
      const address = resolveLink(target);
      return address === null ? name : `${picture}[${name}](${address})`;
    },
  );
}

/** Follows llmstxt.org. */
function llmsText(api: OpenApi): string {
  const groups = makeNavigation(api).map(({ title, entries }) => {
    const links = entries.map(
      ({ path, title: name }) => `- [${name}](/docs${path === "" ? "/README" : path}.md)`,
    );
    return `## ${title}\n\n${links.join("\n")}\n`;
  });
  return [
    "# Earshot\n",
    "> One search API over public posts of Bluesky, Mastodon and X: submit a query with X-style operators, get a uuid, fetch the posts.\n",
    ...groups,
    "## Optional\n\n- [OpenAPI](/openapi.json)\n",
  ].join("\n");
}
