import type { Method } from "../../../../src/platforms/methods.ts";

/** Matches posts on most days. */
const query = "coffee lang:en";

/**
 * A shell command ready to run; null if the key cannot search. Keys (base62) and base URLs need no
 * quoting.
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
