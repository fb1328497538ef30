import type { Method } from "../../../../src/platforms/methods.ts";

/** A search that answers with whatever is said on most days. */
const query = "coffee lang:en";

/**
 * A first request in the words of a shell, which runs as it stands; null for a key that may not search. Neither a key nor an
 * address holds what a shell reads as more than itself: keys are base62, and the server tells its address as a URL.
 */
export function firstCall(
  token: string,
  baseUrl: string,
  methods: readonly Method[] | null,
): string | null {
  const method = methods === null ? "searchbyquery" : methods.find(isSearch);
  if (method === undefined) return null;
  const body = {
    type: "social",
    arguments: { type: method, query, max_results: 5 },
  };
  return [
    `export EARSHOT_KEY=${token}`,
    `curl -s ${baseUrl}/v1/search/social \\`,
    '  -H "Authorization: Bearer $EARSHOT_KEY" -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join("\n");
}

function isSearch(method: Method): boolean {
  return method === "searchbyquery" || method === "searchbyfullarchive";
}
