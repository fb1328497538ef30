import { hostSuffixes, linkOf } from "../text/urls.ts";
import { fault, type Operand, shown } from "./operand.ts";

const schemePrefix = /^[a-z][a-z0-9+.-]*:\/\//;
/** No host name is longer; the endings of one that is would take up the square of its length. */
const longestHost = 253;
const hostForm = /^[\p{L}\p{M}\p{N}_-]+(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u;

/**
 * A host as links are found by it: lower case, in Unicode, without `www.`. A scheme, a leading dot and a closing dot or slash
 * are left out; anything that would narrow it down further (a path, a port, a user) is a fault.
 */
export function readHost(operator: string, written: string): Operand<string> {
  const plain = written.normalize("NFKC").toLowerCase().replace(schemePrefix, "");
  const [authority = "", ...path] = plain.replace(/\/$/, "").split(/[/?#]/);
  const rest = authority.replace(/^\.|\.$/g, "");
  const host = hostOf(rest);
  if (host !== null && path.length === 0) {
    return host.includes(".") || host === "localhost" ? { value: host } : oneLabel(operator, host);
  }
  return fault(
    "invalid_domain",
    `${operator}: wants a host alone, not ${shown(written)}`,
    ["a host such as nasa.gov"],
    hintForHost(operator, written, rest, path.length > 0),
  );
}

/** The host as facets of links have it, when the text is one and nothing else. */
function hostOf(text: string): string | null {
  if (text.length > longestHost || /[:@]/.test(text)) return null;
  const [host] = hostSuffixes(linkOf(text));
  if (host === undefined || !hostForm.test(host) || host.startsWith("www.")) return null;
  const labels = text.replace(/^www\./, "").split(".").length;
  return host.split(".").length === labels && hostSuffixes(linkOf(host))[0] === host ? host : null;
}

function hintForHost(
  operator: string,
  written: string,
  authority: string,
  hasPath: boolean,
): string {
  if (hasPath) return `write url:"${shown(written)}" to find a path`;
  const bare = hostOf(authority.replace(/^.*@/, "").replace(/:\d*$/, "").replace(/^\*\./, ""));
  return bare === null ? `write it as in ${operator}:nasa.gov` : `write ${operator}:${bare}`;
}

/** Links are found by their hosts from two labels on, so that one label is a whole host, not an ending. */
function oneLabel(operator: string, host: string): Operand<string> {
  return {
    value: host,
    warning: {
      code: "one_label_host",
      message: `${operator}:${shown(host)} finds only links whose whole host is ${shown(host)}`,
      hint: `write the host in full, as in ${operator}:${shown(host)}.com, or url:${shown(host)} to find it within any link`,
    },
  };
}
