import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { packageRoot } from "../../lib/package-root.ts";
import { linksAsServed } from "./links-as-served.ts";
import { llmsText } from "./llms-text.ts";
import type { OpenApi } from "./open-api.ts";
import { readPage } from "./page-source.ts";
import { addressIn, type PageTree, pathOf, readPageTree } from "./page-tree.ts";

/** `npm run prepare` builds it (html/write-site.ts). */
export const builtDocs = new URL("dist/docs/", packageRoot);

export type ServedText = { type: string; body: Buffer; etag: string; encoding: string | null };

export type ServedPages = {
  /** Null if unknown. The path has no ending. */
  findSource(path: string): Promise<ServedText | null>;
  /** Null if unknown or not built. Cached. */
  findHtml(path: string, encoding: string | null): Promise<ServedText | null>;
  /** Without a slash at its end; null if unknown. */
  addressOf(path: string): Promise<string | null>;
  findSearchIndex(encoding: string | null): Promise<ServedText | null>;
  llms(): Promise<ServedText>;
};

export function createServedPages(openApi: () => Promise<Buffer>): ServedPages {
  const description = memoised(async (): Promise<OpenApi> => JSON.parse(String(await openApi())));
  const tree = memoised(async () => await readPageTree(await description()));
  const sources = new Map<string, () => Promise<ServedText>>();
  const built = new Map<string, () => Promise<ServedText | null>>();

  async function findSource(path: string): Promise<ServedText | null> {
    const known = await tree();
    const file = known.get(path);
    if (file === undefined) return null;
    const source = sources.get(path) ?? memoised(() => makeSource(known, file));
    sources.set(path, source);
    return await source();
  }

  async function makeSource(known: PageTree, file: string): Promise<ServedText> {
    const text = await readPage(file, await description());
    if (file.endsWith(".svg")) return servedAs("image/svg+xml", text);
    return servedAs("text/markdown", linksAsServed(text, addressIn(known, file)));
  }

  async function findHtml(path: string, encoding: string | null): Promise<ServedText | null> {
    const file = (await tree()).get(path);
    if (file === undefined || file.endsWith(".svg")) return null;
    return await findBuilt(builtName(path), encoding);
  }

  async function findBuilt(name: string, encoding: string | null): Promise<ServedText | null> {
    const key = `${name}${encoding === null ? "" : endings[encoding]}`;
    const file = built.get(key) ?? memoised(() => readBuilt(key, encoding));
    built.set(key, file);
    return await file();
  }

  async function addressOf(path: string): Promise<string | null> {
    const served = pathOf(path.replace(/^\//, "")).replace(/\/$/, "");
    return served !== path && (await tree()).has(served) ? `/docs${served}` : null;
  }

  const llms = memoised(async () => servedAs("text/plain", llmsText(await description())));

  const findSearchIndex = (encoding: string | null) => findBuilt("search.json", encoding);

  return { findSource, findHtml, addressOf, findSearchIndex, llms };
}

export function builtName(path: string): string {
  return path === "" ? "index.html" : `${path.slice(1)}.html`;
}

const endings: Readonly<Record<string, string>> = { br: ".br", gzip: ".gz" };

async function readBuilt(name: string, encoding: string | null): Promise<ServedText | null> {
  const body = await readFile(new URL(name, builtDocs)).catch(() => null);
  const type = name.startsWith("search.json") ? "application/json" : "text/html";
  return body === null ? null : { ...servedAs(type, body), encoding };
}

function servedAs(type: string, text: string | Buffer): ServedText {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { type: `${type}; charset=utf-8`, body, etag: `"${hash}"`, encoding: null };
}

function memoised<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let promise: Promise<Value> | null = null;
  return () => {
    promise ??= make().catch((error: unknown) => {
      promise = null;
      throw error;
    });
    return promise;
  };
}
