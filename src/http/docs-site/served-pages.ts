import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { OpenApi } from "./open-api.ts";
import {
  addressIn,
  docsFolder,
  type PageTree,
  pathOf,
  problemOf,
  readPageTree,
} from "./page-tree.ts";
import { contentPolicy, picturePolicy } from "./style.ts";

/** All answers share its bytes. */
type ServedText = { type: string; body: Buffer; etag: string; policy: string };

type ServedPage = { html: ServedText; plain: ServedText };

export type ServedPages = {
  /** Path below `/docs`; null if unknown. Cached. */
  find(path: string): Promise<ServedPage | null>;
  /** For a file name or a trailing slash; null if unknown. */
  addressOf(path: string): Promise<string | null>;
};

/** The first page of docs/ ends with the API reference. */
export function createServedPages(openApi: () => Promise<string>): ServedPages {
  const tree = memoised(readPageTree);
  const made = new Map<string, () => Promise<ServedPage>>();

  async function find(path: string): Promise<ServedPage | null> {
    const known = await tree();
    const file = known.get(path);
    if (file === undefined) return null;
    const page = made.get(path) ?? memoised(() => makePage(known, path, file));
    made.set(path, page);
    return await page();
  }

  async function addressOf(path: string): Promise<string | null> {
    const served = pathOf(path.replace(/^\//, "")).replace(/\/$/, "");
    return served !== path && (await tree()).has(served) ? `/docs${served}` : null;
  }

  async function makePage(known: PageTree, path: string, file: string): Promise<ServedPage> {
    // Loaded on first use, to keep the start short.
    const { htmlPage, linksAsServed, problemPage, referenceOf, renderMarkdown } = await import(
      "./render.ts"
    );
    const problem = problemOf(file);
    const written =
      problem === null ? await readFile(new URL(file, docsFolder), "utf8") : problemPage(problem);
    if (file.endsWith(".svg")) {
      const picture = servedAs("image/svg+xml", written, picturePolicy);
      return { html: picture, plain: picture };
    }
    const text = path === "" ? `${written}\n${referenceOf(await description())}` : written;
    const addressOf = addressIn(known, file);
    const rendered = await renderMarkdown(text, addressOf);
    return {
      html: servedAs("text/html", htmlPage(`/docs${path}`, rendered)),
      plain: servedAs("text/markdown", linksAsServed(text, addressOf)),
    };
  }

  async function description(): Promise<OpenApi> {
    return JSON.parse(await openApi());
  }

  return { find, addressOf };
}

function servedAs(type: string, text: string, policy = contentPolicy): ServedText {
  const body = Buffer.from(text);
  const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
  return { type: `${type}; charset=utf-8`, body, etag: `"${hash}"`, policy };
}

/** Memoises a promise; a failure is retried by the next call. */
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
