export { platforms, platformTitles as platformNames } from "@earshot/query/tree";

const conjunction = new Intl.ListFormat("en", { type: "conjunction" });

/** "Bluesky and Mastodon". */
export function listed(names: readonly string[]): string {
  return conjunction.format(names);
}
