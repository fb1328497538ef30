import ipaddr from "ipaddr.js";
import {
  commaSeparated,
  type Kind,
  listOrNone,
  matching,
  orNone,
  type Setting,
  setting,
} from "./setting.ts";

export function url(
  name: string,
  fallback: string,
  protocols: readonly string[],
  description: string,
): Setting<string> {
  return setting(name, urlKind(protocols), fallback, description);
}

export function urlOrNone(
  name: string,
  protocols: readonly string[],
  description: string,
): Setting<string | null> {
  return setting(name, orNone(urlKind(protocols), null), null, description);
}

export function urlList(
  name: string,
  fallback: readonly string[],
  protocols: readonly string[],
  description: string,
): Setting<readonly string[]> {
  return setting(
    name,
    commaSeparated(formatUrls(protocols), urlKind(protocols)),
    fallback,
    description,
  );
}

export function urlListOrNone(
  name: string,
  fallback: readonly string[],
  protocols: readonly string[],
  description: string,
): Setting<readonly string[]> {
  return setting(
    name,
    listOrNone(formatUrls(protocols), urlKind(protocols)),
    fallback,
    description,
  );
}

export function publicUrl(name: string, description: string): Setting<string | null> {
  const kind: Kind<string> = {
    expected: "a URL that begins with https:// or http:// and has no path",
    parse: (text) => {
      const parsed = URL.parse(text);
      const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
      return isWeb && parsed.href === `${parsed.origin}/` ? parsed.origin : undefined;
    },
    format: String,
  };
  return setting(name, orNone(kind, null), null, description);
}

/** Origins as browsers send them (RFC 6454); `*` means all. */
export function originList(name: string, description: string): Setting<readonly string[]> {
  const isOrigin = (text: string): boolean =>
    /^https?:\/\/[^/?#@]+$/i.test(text) && URL.canParse(text);
  const origins = listOrNone("origins such as https://app.example", {
    parse: (text) => (isOrigin(text) ? new URL(text).origin : undefined),
  });
  const kind: Kind<readonly string[]> = {
    ...origins,
    expected: "origins such as https://app.example, separated by commas, * for all, or none",
    parse: (text) => (text === "*" ? ["*"] : origins.parse(text)),
  };
  return setting(name, kind, [], description);
}

export function addressList(name: string, description: string): Setting<readonly string[]> {
  const addresses = listOrNone("addresses and networks such as 10.0.0.0/8", {
    parse: (part) => (ipaddr.isValid(part) || ipaddr.isValidCIDR(part) ? part : undefined),
  });
  return setting(name, addresses, [], description);
}

export function identityList(name: string, description: string): Setting<readonly string[]> {
  const identity = matching("", /^(?:github|gitlab):[1-9]\d{0,18}$/);
  const kind = listOrNone("accounts such as github:583231 or gitlab:42", identity);
  return setting(name, kind, [], description);
}

function urlKind(protocols: readonly string[]): Kind<string> {
  return {
    expected: `a URL that begins with ${formatSchemes(protocols)}`,
    parse: (text) => (protocols.includes(URL.parse(text)?.protocol ?? "") ? text : undefined),
    format: String,
  };
}

const formatUrls = (protocols: readonly string[]): string =>
  `URLs that begin with ${formatSchemes(protocols)}`;

const formatSchemes = (protocols: readonly string[]): string =>
  protocols.map((protocol) => `${protocol}//`).join(" or ");
