import { makeNavigation } from "./navigation.ts";
import type { OpenApi } from "./open-api.ts";

/** llmstxt.org. */
export function llmsText(api: OpenApi): string {
  const groups = makeNavigation(api).map(({ title, entries }) => {
    const links = entries.map(
      ({ path, title: name }) => `- [${name}](/docs${path === "" ? "/README" : path}.md)`,
    );
    return `## ${title}\n\n${links.join("\n")}\n`;
  });
  return [
    "# Earshot\n",
    "> One search API over public posts of Bluesky, Mastodon and X: submit a query with X-style operators, get a uuid, fetch the posts.\n",
    ...groups,
    "## Optional\n\n- [OpenAPI](/openapi.json)\n",
  ].join("\n");
}
