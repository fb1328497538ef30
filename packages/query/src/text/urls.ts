import { shortenToken } from "./token.ts";
import { unicodeHost } from "./unicode-host.ts";

const maxHostLength = 253;
const schemePrefix = /^[a-z][a-z0-9+.-]*:\/\//;
const authority = /^[^/?]*/;
const userinfo = /^.*@/;
const defaultPort = /:(?:80|443)?$/;
/** These parameters do not identify the page. */
const trackingParameters =
  /(^|[?&;])(?:utm_[a-z_]*|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid?|mc_[ce]id|mkt_tok|_hsenc|_hsmi|_ga|_gl|vero_id|oly_(?:anon|enc)_id|ref_src|ref_url)=[^&;]*/g;
const percentEncoded = /(?:%[0-9a-f]{2})+/g;
const nonWordCharacters = /[^\p{L}\p{M}\p{N}]+/u;
const aboveAscii = /[\u0080-\uffff]/;

/** In lower case, without scheme, user and fragment. */
export type Link = {
  host: string;
  pathAndQuery: string;
};

export function parseLink(url: string): Link {
  const normalizedUrl = normalise(url.trim()).replace(schemePrefix, "");
  const fragment = normalizedUrl.indexOf("#");
  const link = fragment < 0 ? normalizedUrl : normalizedUrl.slice(0, fragment);
  const authorityText = authority.exec(link)?.[0] ?? "";
  return { host: parseHost(authorityText), pathAndQuery: link.slice(authorityText.length) };
}

/**
 * Host labels, path and query, in order, split at everything but letters, marks and digits.
 * Punycode and percent codes are decoded; a leading `www.`, ports 80 and 443, and tracking
 * parameters are omitted.
 */
export function linkTokens({ host, pathAndQuery }: Link): string[] {
  const query = pathAndQuery.includes("=")
    ? pathAndQuery.replace(trackingParameters, "$1")
    : pathAndQuery;
  const text = normalise(`${host} ${decodePercent(query)}`);
  if (!aboveAscii.test(text)) return asciiTokens(text);
  return text.split(nonWordCharacters).filter(isNotEmpty).map(shortenToken);
}

function asciiTokens(text: string): string[] {
  const tokens: string[] = [];
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    if (index < text.length && isLetterOrDigit(text.charCodeAt(index))) continue;
    if (index > start) tokens.push(shortenToken(text.slice(start, index)));
    start = index + 1;
  }
  return tokens;
}

const isLetterOrDigit = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);

/** Reads part of a host or path, an id, or a whole link. */
export function urlQueryTokens(text: string): string[] {
  return linkTokens(parseLink(text.replace(/^[\s"“”]+/u, "")));
}

/**
 * Down to two labels: `news.bbc.co.uk`, `bbc.co.uk`, `co.uk`. Single labels and overlong hosts
 * yield only themselves.
 */
export function hostSuffixes({ host }: Link): string[] {
  const name = host.slice(0, findNameEnd(host));
  if (name.length > maxHostLength) return [name];
  const labels = name.split(".").filter(isNotEmpty);
  let suffix = labels.pop() ?? "";
  if (labels.length === 0) return suffix === "" ? [] : [suffix];
  const suffixes: string[] = [];
  for (const label of labels.reverse()) {
    suffix = `${label}.${suffix}`;
    suffixes.push(suffix);
  }
  return suffixes.reverse();
}

function findNameEnd(host: string): number {
  const end = host.search(/[: ]/);
  return end < 0 ? host.length : end;
}

function parseHost(authorityText: string): string {
  // Text that begins with parameters contains no host.
  if (authorityText.includes("=")) return authorityText.replace(trackingParameters, "$1");
  const withoutUserinfo = authorityText.includes("@")
    ? authorityText.replace(userinfo, "")
    : authorityText;
  const host = withoutUserinfo.includes(":")
    ? withoutUserinfo.replace(defaultPort, "")
    : withoutUserinfo;
  const bareHost = host.startsWith("www.") ? host.slice(4) : host;
  if (!bareHost.includes("xn--")) return decodePercent(bareHost);
  const [name = "", port = ""] = bareHost.split(":");
  return `${unicodeHost(name) ?? name} ${port}`;
}

function decodePercent(text: string): string {
  if (!text.includes("%")) return text;
  return text.replace(percentEncoded, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}

function normalise(text: string): string {
  if (!aboveAscii.test(text)) return text.toLowerCase();
  return text.toWellFormed().normalize("NFKC").toLowerCase();
}

function isNotEmpty(part: string): boolean {
  return part !== "";
}
