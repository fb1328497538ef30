import type { Headers } from "undici";
import type { UpstreamWarning } from "../upstream.ts";

export type Paging = Readonly<Record<string, string>>;

const pagingParameters: readonly string[] = ["max_id", "min_id", "since_id", "offset", "page"];
const valuePattern = /^[A-Za-z0-9_.:~+/=-]{1,200}$/;
const maxHeaderLength = 8_192;
const maxLinks = 10;

/**
 * List ids are opaque, so paging follows the `Link` header. Only known parameters of this path are
 * used, so no link to another host is followed.
 */
export function nextPaging(headers: Pick<Headers, "get">, path: string): Paging | null {
  const header = headers.get("link");
  if (header === null || header.length > maxHeaderLength) return null;
  for (const address of listAddresses(header)) {
    const url = URL.parse(address, "https://server.invalid");
    if (url === null || decodePath(url.pathname) !== decodePath(path)) continue;
    const paging = readPaging(url.searchParams);
    if (paging !== null) return paging;
  }
  return null;
}

export function linkWarnings(headers: Pick<Headers, "get">, path: string): UpstreamWarning[] {
  const header = headers.get("link") ?? "";
  const hasNextLink = header.length > maxHeaderLength || listAddresses(header).length > 0;
  if (!hasNextLink || nextPaging(headers, path) !== null) return [];
  return [
    {
      code: "page_token_unusable",
      message: "the server has more, but its link to the next page is invalid",
      isPartial: true,
    },
  ];
}

function listAddresses(header: string): string[] {
  const pattern =
    /<([^<>]{1,4000})>((?:\s*;\s*[a-z*]{1,20}\s*=\s*(?:"[^"]{0,200}"|[^\s",;]{1,200}))*)/gi;
  return [...header.matchAll(pattern)]
    .slice(0, maxLinks)
    .filter((link) => /(?:^|[\s;])rel\s*=\s*"?(?:[a-z ]*\s)?next(?:[\s";]|$)/i.test(link[2] ?? ""))
    .map((link) => link[1] ?? "");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const writePaging = (paging: Paging): string => new URLSearchParams(paging).toString();

export function readPaging(parameters: URLSearchParams | string): Paging | null {
  const search = typeof parameters === "string" ? new URLSearchParams(parameters) : parameters;
  const paging = pagingParameters.flatMap((name): [string, string][] => {
    const value = search.get(name);
    return value === null ? [] : [[name, value]];
  });
  if (paging.length === 0 || paging.some(([, value]) => !valuePattern.test(value))) return null;
  return Object.fromEntries(paging);
}
