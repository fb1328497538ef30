import { once } from "../../src/lib/once.ts";

export { platforms, platformTitles as platformNames } from "@earshot/query/tree";

const conjunction = once(() => new Intl.ListFormat("en", { type: "conjunction" }));

/** "Bluesky and Mastodon". */
export function listText(names: readonly string[]): string {
  return conjunction().format(names);
}
