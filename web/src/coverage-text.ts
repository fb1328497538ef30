/** Summary for a platform without any complete span. */
export function noneWholeText(postsFound: number): string {
  return postsFound > 0 ? "Some posts, coverage unknown" : "No complete coverage in this window";
}
