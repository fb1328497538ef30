import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import { lookupHash, xUri } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import { blueskyUri, readNamedPost } from "../../posts/references.ts";
import {
  accountIds,
  readSegments,
  readUriKey,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { findStoredIds } from "../catalog/other-ids.ts";
import { openForReading } from "../database.ts";
import { segmentLookup } from "../segments/lookup.ts";
import { rowByIdReader } from "./segment-rows.ts";

export type MatchedPost = {
  platform: Platform;
  uri: string;
  stored: { id: bigint; entry: SegmentEntry } | null;
};

/**
 * `name`: an ID as shown by `search`, a uri, or the URL of a post on X or Bluesky. The posts need
 * not be stored. Errors: `wrong_use`.
 */
export function findNamedPosts(folder: string, catalog: DatabaseSync, name: string): MatchedPost[] {
  const { number, bluesky } = readNamedPost(name);
  if (number !== null) {
    const posts = postsWithId(folder, catalog, number);
    return posts.length > 0 ? posts : [{ platform: "x", uri: xUri(number), stored: null }];
  }
  const uris =
    bluesky === null
      ? [parsePostName(name)]
      : accountIds(catalog, "bluesky", bluesky.handle).map((did) => ({
          platform: "bluesky" as const,
          uri: blueskyUri(did, bluesky.key),
        }));
  const posts = uris.filter((uri) => uri !== null);
  if (posts.length === 0) throw unknownPost(name);
  return posts.map((post) => ({ ...post, stored: storedPost(folder, catalog, post) }));
}

function unknownPost(name: string): EarshotError {
  return new EarshotError("wrong_use", `${name} is not a post`, {
    status: 400,
    hint: "use the URL of the post, or the ID or uri that earshot search --ndjson shows",
  });
}

const xPostUrl =
  /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/[^/?#]+(?:\/web)?\/status(?:es)?\/(\d{1,19})(?:[/?#]|$)/i;
const blueskyPostUrl = /^https?:\/\/(?:www\.)?bsky\.app\/profile\/(did:[^/?#]+)\/post\/([^/?#]+)/i;

function parsePostName(name: string): { platform: Platform; uri: string } | null {
  if (name.startsWith("at://")) return { platform: "bluesky", uri: name };
  const number = xPostUrl.exec(name)?.[1];
  if (number !== undefined) return { platform: "x", uri: xUri(number) };
  const [, did, key] = blueskyPostUrl.exec(name) ?? [];
  if (did !== undefined && key !== undefined) {
    return { platform: "bluesky", uri: blueskyUri(did, key) };
  }
  const importPlatform = platforms.find((platform) => name.startsWith(`import:${platform}:`));
  if (importPlatform !== undefined) return { platform: importPlatform, uri: name };
  return /^https?:\/\//i.test(name) ? { platform: "mastodon", uri: name } : null;
}

function postsWithId(folder: string, catalog: DatabaseSync, id: bigint): MatchedPost[] {
  const uriKey = readUriKey(catalog);
  return readSegments(catalog)
    .filter(({ low, high }) => low <= id && id <= high)
    .flatMap((entry) => {
      const row = inSegment(folder, entry, (database) => {
        const read = rowByIdReader(database, entry.platform);
        const lookup = segmentLookup(database, entry.platform);
        const storedId = (): bigint | undefined => findStoredIds(lookup, uriKey, [id]).get(id);
        return read(id) ?? read(storedId() ?? id);
      });
      if (row === null) return [];
      return [{ platform: entry.platform, uri: recordUri(row), stored: { id: row.id, entry } }];
    });
}

function storedPost(
  folder: string,
  catalog: DatabaseSync,
  { platform, uri }: { platform: Platform; uri: string },
): MatchedPost["stored"] {
  const number = platform === "x" ? readNamedPost(uri.replace(/^.*\//, "")).number : null;
  if (number !== null && xUri(number) === uri) {
    const post = postsWithId(folder, catalog, number).find((matched) => matched.uri === uri);
    return post?.stored ?? null;
  }
  const hash = lookupHash(readUriKey(catalog), uri);
  for (const entry of readSegments(catalog)) {
    if (entry.platform !== platform) continue;
    const id = inSegment(folder, entry, (database) => {
      const selectIds = database.prepare("SELECT id FROM uri WHERE hash = ?");
      selectIds.setReadBigInts(true);
      const read = rowByIdReader(database, platform);
      const ids = selectIds.all(hash).map((row) => row.id as bigint);
      return ids.find((other) => {
        const row = read(other);
        return row !== null && recordUri(row) === uri;
      });
    });
    if (id !== undefined) return { id, entry };
  }
  return null;
}

function inSegment<Value>(
  folder: string,
  entry: SegmentEntry,
  read: (database: ReturnType<typeof openForReading>) => Value,
): Value {
  const database = openForReading(segmentPath(folder, entry), 500);
  try {
    return read(database);
  } finally {
    database.close();
  }
}
