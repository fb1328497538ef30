import { domainToUnicode } from "node:url";
import { shortenToken } from "./token.ts";

/** No name of a host is longer. */
const maxHostLength = 253;
const schemePrefix = /^[a-z][a-z0-9+.-]*:\/\//;
const authority = /^[^/?]*/;
const userinfo = /^.*@/;
const defaultPort = /:(?:80|443)?$/;
/** Parameters that say how a reader came to a page, not which page it is. */
const trackingParameters =
  /(^|[?&;])(?:utm_[a-z_]*|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid?|mc_[ce]id|mkt_tok|_hsenc|_hsmi|_ga|_gl|vero_id|oly_(?:anon|enc)_id|ref_src|ref_url)=[^&;]*/g;
const percentEncoded = /(?:%[0-9a-f]{2})+/g;
const between = /[^\p{L}\p{M}\p{N}]+/u;
const betweenAscii = /[^a-z0-9]+/;
const aboveAscii = /[\u0080-\uffff]/;

/**
 * The parts of a link, in order, by which `url:` finds it: host labels, path and query cut at everything that is no letter,
 * mark or digit. In lower case, punycode and percent codes decoded; without scheme, user, leading `www.`, ports 80 and
 * 443, fragment and tracking parameters (`utm_…`). Takes any string.
 */
export function urlTokens(url: string): string[] {
  const { host, rest } = split(url);
  const query = rest.includes("=") ? rest.replace(trackingParameters, "$1") : rest;
  const parts = normalise(`${host} ${decodePercent(query)}`);
  const tokens = parts.split(aboveAscii.test(parts) ? between : betweenAscii);
  return tokens.filter(isNotEmpty).map(shortenToken);
}

/**
 * The tokens that must stand side by side where a link holds this text: a host, a part of a path, an id, or a whole link. Cut
 * as `urlTokens` cuts, so that what begins and ends where a link's parts do is found in it.
 */
export function urlQueryTokens(text: string): string[] {
  return urlTokens(text.replace(/^[\s"“”]+/u, ""));
}

/**
 * The host of a link and all domains that it belongs to, longest first, down to two labels: `news.bbc.co.uk`, `bbc.co.uk`, `co.uk`.
 * A host of one label is itself, and so is what is too long for one.
 */
export function hostSuffixes(url: string): string[] {
  const [name = ""] = split(url).host.split(/[: ]/, 1);
  if (name.length > maxHostLength) return [name];
  const labels = name.split(".").filter(isNotEmpty);
  if (labels.length < 2) return labels;
  return labels.slice(1).map((_, index) => labels.slice(index).join("."));
}

/** The host of a link, with a port that is not the usual one, and what follows up to the fragment. */
function split(url: string): { host: string; rest: string } {
  const whole = normalise(url.trim()).replace(schemePrefix, "");
  const fragment = whole.indexOf("#");
  const link = fragment < 0 ? whole : whole.slice(0, fragment);
  const written = authority.exec(link)?.[0] ?? "";
  return { host: hostOf(written), rest: link.slice(written.length) };
}

function hostOf(written: string): string {
  // A text that begins with parameters has no host.
  if (written.includes("=")) return written.replace(trackingParameters, "$1");
  const named = written.includes("@") ? written.replace(userinfo, "") : written;
  const host = named.includes(":") ? named.replace(defaultPort, "") : named;
  const bare = host.startsWith("www.") ? host.slice(4) : host;
  if (!bare.includes("xn--")) return decodePercent(bare);
  const [name = "", port = ""] = bare.split(":");
  return `${domainToUnicode(name) || name} ${port}`;
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
