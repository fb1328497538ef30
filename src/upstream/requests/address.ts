import type { UpstreamRequest } from "../../platforms/session.ts";

/** Throws unless `path` begins with a slash. */
export function makeAddress(baseUrl: string, path: string, query: UpstreamRequest["query"]): URL {
  const base = new URL(baseUrl);
  if (!path.startsWith("/")) {
    throw new Error(`${JSON.stringify(path.slice(0, 100))} is not a path of ${base.host}`);
  }
  const url = new URL(`${base.origin}${base.pathname.replace(/\/$/, "")}${path}`);
  return withQuery(url, query);
}

export function withQuery(url: URL, query: UpstreamRequest["query"] = {}): URL {
  const requested = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      requested.searchParams.append(name, String(each));
    }
  }
  return requested;
}
