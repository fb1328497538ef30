import { EarshotError } from "../../lib/errors.ts";
import { parseAtUri } from "../../platforms/bluesky/at-uri.ts";
import { profileCollection } from "../../platforms/bluesky/collections.ts";
import type { ResolvedAccount } from "../../platforms/bluesky/find-account.ts";
import { postCollection } from "../../platforms/bluesky/post.ts";
import { profileKey } from "../../platforms/bluesky/profile.ts";
import { query, refusalError, xrpcUrl } from "../../platforms/bluesky/xrpc.ts";
import { asFields, isObject, list } from "../../platforms/fields.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

export type ListedPage = {
  records: readonly { rkey: string; record: unknown }[];
  cursor: string | null;
};

const recordsPerPage = 100;

export const postUri = (did: string, rkey: string): string =>
  `at://${did}/${postCollection}/${rkey}`;

/** Yields pages of up to 100 records after the cursor `from`. Errors: `upstream_refused`. */
export async function* listedRecords(
  fetch: PoliteFetch,
  { did, pds }: Pick<ResolvedAccount, "did" | "pds">,
  from: string | null,
): AsyncGenerator<ListedPage> {
  let cursor = from;
  do {
    const url = xrpcUrl(pds, "com.atproto.repo.listRecords", {
      repo: did,
      collection: postCollection,
      limit: recordsPerPage,
      ...(cursor === null ? {} : { cursor }),
    });
    const response = await query(fetch, url);
    if ("refusal" in response) throw refusalError(pds.host, response.refusal);
    const page = readPage(response.value, did);
    if (page.cursor !== null && page.cursor === cursor) throw repeatedPage(pds.host);
    yield page;
    cursor = page.cursor;
  } while (cursor !== null);
}

function readPage(value: unknown, did: string): ListedPage {
  const { records, cursor } = asFields(value);
  const items = list(records, recordsPerPage);
  return {
    records: items.flatMap((item) => {
      const { uri, value: record } = asFields(item);
      const parts = typeof uri === "string" ? parseAtUri(uri) : null;
      const isOwn = parts?.did === did && parts.collection === postCollection;
      return isOwn ? [{ rkey: parts.rkey, record }] : [];
    }),
    cursor: typeof cursor === "string" && cursor !== "" && items.length > 0 ? cursor : null,
  };
}

/** Null if the account has no profile, undefined if unknown. */
export async function fetchProfileRecord(
  fetch: PoliteFetch,
  { did, pds }: Pick<ResolvedAccount, "did" | "pds">,
): Promise<Record<string, unknown> | null | undefined> {
  const url = xrpcUrl(pds, "com.atproto.repo.getRecord", {
    repo: did,
    collection: profileCollection,
    rkey: profileKey,
  });
  const response = await query(fetch, url);
  if ("refusal" in response) return response.refusal.error === "RecordNotFound" ? null : undefined;
  const { value } = asFields(response.value);
  return isObject(value) ? value : null;
}

function repeatedPage(host: string): EarshotError {
  return new EarshotError("upstream_refused", `${host} returns the same page repeatedly`, {
    status: 502,
  });
}
