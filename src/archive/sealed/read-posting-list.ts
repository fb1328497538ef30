import type { DictionaryEntry } from "./dictionary-entries.ts";
import { maxInlinePosts, maxOneRowPosts } from "./format.ts";
import { inlineList } from "./inline-list.ts";
import type { PostingList, PostingRows } from "./posting-list.ts";
import { oneRowList, rowPerChunkList } from "./row-list.ts";

export function readPostingList(
  entry: DictionaryEntry,
  rows: PostingRows,
  grow: (bytes: number) => void,
): PostingList {
  if (entry.posts <= maxInlinePosts) return inlineList(entry, rows.posts, grow);
  return entry.posts <= maxOneRowPosts
    ? oneRowList(entry, rows, grow)
    : rowPerChunkList(entry, rows, grow);
}
