import { foldTag } from "@earshot/query/text";

/** Omits tags that are the same to a search as an earlier tag. */
export function distinctTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) {
    const key = foldTag(tag);
    if (!byKey.has(key)) byKey.set(key, tag);
  }
  return [...byKey.values()];
}
