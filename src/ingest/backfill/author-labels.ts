import { type LabelChange, readLabel } from "../../platforms/bluesky/label.ts";
import { postCollection } from "../../platforms/bluesky/post.ts";
import { query, refusalError, xrpcUrl } from "../../platforms/bluesky/xrpc.ts";
import { asFields, list, unreadableResponse } from "../../platforms/fields.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

export type LabelSource = { url: string; sources: readonly string[] };

const labelsPerPage = 250;
/** Guards against a listing that never ends. */
const maxPages = 10_000;
/** Limits the URL to about 5,000 characters. */
const urisPerRequest = 50;

/**
 * The labels of an account, its profile and its posts. Requests all posts by URI prefix, or
 * individual URIs if the labeler rejects patterns. Errors: `upstream_refused`; `answer_unreadable`
 * if a listing does not end.
 */
export async function* authorLabels(
  fetch: PoliteFetch,
  { url, sources }: LabelSource,
  { did, uris, nowMs }: { did: string; uris: readonly string[]; nowMs: number },
): AsyncGenerator<readonly LabelChange[]> {
  const accountUris = [did, `at://${did}/app.bsky.actor.profile/self`];
  const initialPage = await request([...accountUris, `at://${did}/${postCollection}/*`], null);
  if (initialPage !== null) {
    yield* pages([...accountUris, `at://${did}/${postCollection}/*`], initialPage);
    return;
  }
  for (let from = 0; from === 0 || from < uris.length; from += urisPerRequest) {
    const patterns = [
      ...(from === 0 ? accountUris : []),
      ...uris.slice(from, from + urisPerRequest),
    ];
    const page = await request(patterns, null);
    if (page === null)
      throw refusalError(new URL(url).host, { status: 400, error: "", message: "" });
    yield* pages(patterns, page);
  }

  async function* pages(
    patterns: readonly string[],
    firstPage: Page,
  ): AsyncGenerator<readonly LabelChange[]> {
    let page: Page | null = firstPage;
    for (let count = 0; page !== null && count < maxPages; count += 1) {
      yield page.labels;
      page = page.cursor === null ? null : await request(patterns, page.cursor);
    }
    if (page !== null) {
      throw unreadableResponse(new URL(url).host, `its labels have more than ${maxPages} pages`);
    }
  }

  async function request(patterns: readonly string[], cursor: string | null): Promise<Page | null> {
    const parameters = { uriPatterns: patterns, sources, limit: labelsPerPage };
    const requestUrl = xrpcUrl(url, "com.atproto.label.queryLabels", {
      ...parameters,
      ...(cursor === null ? {} : { cursor }),
    });
    const response = await query(fetch, requestUrl);
    if ("value" in response) return readPage(response.value);
    if (response.refusal.status === 400) return null;
    throw refusalError(requestUrl.host, response.refusal);
  }

  function readPage(value: unknown): Page {
    const { labels, cursor } = asFields(value);
    const parsed = list(labels, labelsPerPage).map((label) => readLabel(label, nowMs));
    const isEnd = typeof cursor !== "string" || cursor === "" || parsed.length === 0;
    return {
      labels: parsed.filter(
        (label) =>
          typeof label === "object" && sources.includes(label.source) && isAboutAuthor(label),
      ) as LabelChange[],
      cursor: isEnd ? null : cursor,
    };
  }

  function isAboutAuthor({ subject }: LabelChange): boolean {
    return subject === did || subject.startsWith(`at://${did}/`);
  }
}

type Page = { labels: readonly LabelChange[]; cursor: string | null };
