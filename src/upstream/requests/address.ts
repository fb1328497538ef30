import type { UpstreamRequest } from "../../platforms/session.ts";

/** The address that a path leads to. Throws when it is no path. */
export function addressOf(baseUrl: string, path: string, query: UpstreamRequest["query"]): URL {
  const base = new URL(baseUrl);
  if (!path.startsWith("/")) {
    throw new Error(`${JSON.stringify(path.slice(0, 100))} is no path of ${base.host}`);
  }
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, "")}${path}`);
  return withQuery(url, query);
}

/** With the parameters that are not undefined; a list comes again and again. */
export function withQuery(url: URL, query: UpstreamRequest["query"] = {}): URL {
  const asked = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      asked.searchParams.append(name, String(each));
    }
  }
  return asked;
}
