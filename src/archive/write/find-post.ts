/**
 * Misplaced posts are listed in the catalog before they are written, so that they can be found
 * even after a crash.
 */

import { parseXId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { StoredPost } from "../segments/stored-posts.ts";
import { findStored } from "./placement.ts";
import type { WriteContext } from "./write-context.ts";

export function findPost(
  context: WriteContext,
  entries: readonly SegmentEntry[],
  platform: Platform,
  uri: string,
): StoredPost | null {
  if (entries.length === 0) return null;
  const id = platform === "x" ? parseXId(uri) : null;
  const hash = id === null ? context.hashUri(uri) : null;
  const segments = { ...context, openWriter: context.writers.openWriter, entries };
  return findStored(segments, { platform, uri, hash, id });
}
