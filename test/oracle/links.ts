import { domainToUnicode } from "node:url";
import { commonDomains } from "./common-domains.ts";

export type Link = { host: string; parts: string[] };

const trackingParameter =
  /^(?:utm_.*|fbclid|gclid|dclid|gbraid|wbraid|msclkid|twclid|yclid|igshid|igsh|ttclid|mc_cid|mc_eid)$/i;

function decodePercent(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return codes;
    }
  });
}

function decodeHost(host: string): string {
  return host
    .split(".")
    .map((label) => (/^xn--/i.test(label) ? domainToUnicode(label) || label : label))
    .join(".");
}

/** A link needs a scheme, or a common top-level domain that is not in mixed case. */
export function isLink(text: string): boolean {
  if (/^https?:\/\//i.test(text)) return true;
  const host = text.replace(/[/?#:].*$/s, "");
  const domain = host.slice(host.lastIndexOf(".") + 1);
  const lower = domain.toLowerCase();
  if (!commonDomains.has(lower)) return false;
  return domain === lower || host === host.toUpperCase();
}

export function parseLink(address: string): Link {
  const schemeless = address
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/#.*$/s, "");
  const [, authority = "", path = "", query = ""] =
    /^([^/?]*)([^?]*)(?:\?(.*))?$/s.exec(schemeless) ?? [];
  const host = decodePercent(authority.replace(/^.*@/s, ""))
    .normalize("NFKC")
    .toLowerCase()
    .replace(/:(?:80|443)$/, "")
    .replace(/^www\./, "");
  const pairs = query
    .split("&")
    .filter((pair) => !trackingParameter.test(pair.split("=")[0] ?? ""));
  const decodedLink = `${decodeHost(host)}${decodePercent(`${path}?${pairs.join("&")}`)}`;
  return {
    host: decodeHost(host).replace(/:\d+$/, "").replace(/\.$/, ""),
    parts:
      decodedLink
        .normalize("NFKC")
        .toLowerCase()
        .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [],
  };
}

export function encodeParts(parts: readonly string[]): string {
  return parts.map((part) => `[${part}]`).join("");
}
