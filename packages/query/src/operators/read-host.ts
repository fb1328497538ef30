import { hostSuffixes, parseLink } from "../text/urls.ts";
import { type Operand, operandError, truncate } from "./operand.ts";

const schemePrefix = /^[a-z][a-z0-9+.-]*:\/\//;
/** The limit in DNS; also bounds the quadratic size of a host's suffixes. */
const maxHostLength = 253;
const hostForm = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u;

/**
 * In lower case and Unicode, without `www.`, scheme, and dots or slashes at the ends. A path, port
 * or user is an error.
 */
export function readHost(operator: string, text: string): Operand<string> {
  const normalizedText = text.normalize("NFKC").toLowerCase().replace(schemePrefix, "");
  const [authority = "", ...path] = normalizedText.replace(/\/$/, "").split(/[/?#]/);
  const trimmedAuthority = authority.replace(/^\.|\.$/g, "");
  const host = parseHost(trimmedAuthority);
  if (host !== null && path.length === 0) {
    return host.includes(".") || host === "localhost" ? { value: host } : oneLabel(operator, host);
  }
  return operandError(
    "invalid_domain",
    `${operator}: must be only a host, not ${truncate(text)}`,
    ["a host such as nasa.gov"],
    hintForHost(operator, text, trimmedAuthority, path.length > 0),
  );
}

function parseHost(text: string): string | null {
  if (text.length > maxHostLength || /[:@]/.test(text)) return null;
  const [host] = hostSuffixes(parseLink(text));
  if (host === undefined || !hostForm.test(host) || host.startsWith("www.")) return null;
  const labels = text.replace(/^www\./, "").split(".").length;
  return host.split(".").length === labels && hostSuffixes(parseLink(host))[0] === host
    ? host
    : null;
}

function hintForHost(operator: string, text: string, authority: string, hasPath: boolean): string {
  if (hasPath) return `write url:"${truncate(text)}" to find a path`;
  const suggestedHost = parseHost(
    authority.replace(/^.*@/, "").replace(/:\d*$/, "").replace(/^\*\./, ""),
  );
  return suggestedHost === null
    ? `use a value such as ${operator}:nasa.gov`
    : `write ${operator}:${suggestedHost}`;
}

/** Facets have at least two labels, so a single label matches only whole hosts. */
function oneLabel(operator: string, host: string): Operand<string> {
  return {
    value: host,
    warning: {
      code: "one_label_host",
      message: `${operator}:${truncate(host)} matches only links whose host is exactly ${truncate(host)}`,
      hint: `write the host in full, as in ${operator}:${truncate(host)}.com, or url:${truncate(host)} to find it within any link`,
    },
  };
}
