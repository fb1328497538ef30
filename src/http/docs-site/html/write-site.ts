import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../../lib/package-root.ts";
import { makeNavigation } from "../navigation.ts";
import type { OpenApi } from "../open-api.ts";
import { readPage } from "../page-source.ts";
import { addressIn, readPageTree } from "../page-tree.ts";
import { builtDocs, builtName } from "../served-pages.ts";
import { fillTemplate } from "./page-template.ts";
import { type RenderedMarkdown, renderMarkdown } from "./render-markdown.ts";
import { searchIndex, splitSections } from "./search-index.ts";

/** Runs at build time, after Vite, because its packages are development dependencies. */
export async function writeSite(): Promise<void> {
  const files = await makeSite(await readFile(new URL("dist/web/docs.html", packageRoot), "utf8"));
  const folder = fileURLToPath(builtDocs);
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** File contents by name in dist/docs. */
export async function makeSite(template: string): Promise<ReadonlyMap<string, string>> {
  const api: OpenApi = JSON.parse(await readFile(new URL("openapi.json", packageRoot), "utf8"));
  const navigation = makeNavigation(api);
  const tree = await readPageTree(api);
  const renderedPages = new Map<string, RenderedMarkdown>();
  for (const [path, file] of tree) {
    if (file.endsWith(".svg")) continue;
    renderedPages.set(path, renderMarkdown(await readPage(file, api), addressIn(tree, file)));
  }
  const text = searchIndex(
    [...renderedPages].flatMap(([path, { title, html }]) =>
      splitSections(`/docs${path}`, title, html),
    ),
  );
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8);
  const searchFile = `/docs/search.json?version=${hash}`;
  const fill = (path: string | null, page: RenderedMarkdown) =>
    fillTemplate(template, { path, page, navigation, searchFile });
  const files = new Map(
    [...renderedPages].map(([path, page]) => [builtName(path), fill(path, page)]),
  );
  files.set("not-found.html", fill(null, notFoundPage));
  files.set("search.json", text);
  return files;
}

const notFoundPage: RenderedMarkdown = {
  title: "Page not found",
  html:
    "<h1>Page not found</h1>\n<p>There is no page at this address. It may have moved, or the address may contain a typo.</p>\n" +
    '<ul><li><a href="/">Start page</a></li><li><a href="/dashboard">Dashboard</a></li><li><a href="/docs">Documentation</a></li></ul>\n',
  contents: [],
};
