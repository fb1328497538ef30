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

/** One form of a page as it is sent; all answers share its bytes, however slowly they are read. */
type ServedText = { type: string; body: Buffer; etag: string; policy: string };

/** A page in both of its forms; a picture has one. */
type ServedPage = { html: ServedText; plain: ServedText };

export type ServedPages = {
  /** The page behind `/docs`; null when there is none. Made by the first call, then kept. */
  find(path: string): Promise<ServedPage | null>;
  /** Where the page is that someone asked for by the name of its file or with a stroke at the end; null when there is none. */
  addressOf(path: string): Promise<string | null>;
};

/** The pages of docs/, and the description of the API below the first of them. */
export function createServedPages(openApi: () => Promise<string>): ServedPages {
  const tree = keptOnceMade(readPageTree);
  const made = new Map<string, () => Promise<ServedPage>>();

  async function find(path: string): Promise<ServedPage | null> {
    const known = await tree();
    const file = known.get(path);
    if (file === undefined) return null;
    const page = made.get(path) ?? keptOnceMade(() => makePage(known, path, file));
    made.set(path, page);
    return await page();
  }

  async function addressOf(path: string): Promise<string | null> {
    const served = pathOf(path.replace(/^\//, "")).replace(/\/$/, "");
    return served !== path && (await tree()).has(served) ? `/docs${served}` : null;
  }

  async function makePage(known: PageTree, path: string, file: string): Promise<ServedPage> {
    // Loaded by whoever reads a page first, so that a start does not wait for it.
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

/** Makes a value once; a making that failed is tried again by the next call. */
function keptOnceMade<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let kept: Promise<Value> | null = null;
  return () => {
    kept ??= make().catch((fault: unknown) => {
      kept = null;
      throw fault;
    });
    return kept;
  };
}
