import type { DictionaryEntry } from "./dictionary-entries.ts";
import { inlinePosts, oneRowPosts } from "./format.ts";
import { inlineList } from "./inline-list.ts";
import type { PostingList, PostingRows } from "./posting-list.ts";
import { oneRowList, rowsList } from "./row-list.ts";

/**
 * The posts of the term with this entry. `grow` is told how many bytes it takes, also later when more is read. What is malformed
 * throws `SealedDamage` when it is read.
 */
export function postingListOf(
  entry: DictionaryEntry,
  rows: PostingRows,
  grow: (bytes: number) => void,
): PostingList {
  if (entry.posts <= inlinePosts) return inlineList(entry, rows.posts, grow);
  return entry.posts <= oneRowPosts ? oneRowList(entry, rows, grow) : rowsList(entry, rows, grow);
}
