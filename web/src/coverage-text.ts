/**
 * What is told of a platform of which no stretch of a time is held whole: posts of it may be held all the same, as `postsFound` of
 * them show.
 */
export function noneWholeText(postsFound: number): string {
  return postsFound > 0 ? "Some posts, coverage unknown" : "No complete coverage in this window";
}
