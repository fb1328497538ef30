export function haveDistinctIds(
  posts: readonly { hash: bigint | null; id: bigint | null }[],
): boolean {
  const ids = new BigInt64Array(posts.length);
  for (const [index, { hash, id }] of posts.entries()) {
    if (hash !== null || id === null) return false;
    ids[index] = id;
  }
  ids.sort();
  return ids.every((id, index) => index === 0 || id !== ids[index - 1]);
}
