import ipaddr from "ipaddr.js";
import { parseApiKey } from "../accounts/api-key.ts";
import { type AllowedSigner, readAllowList } from "../accounts/sign-in/allow-list.ts";
import { formatDuration, parseDuration } from "../lib/duration.ts";
import { readSecretKey } from "../lib/secret-key.ts";

type Reading<T> = { ok: true; value: T } | { ok: false };

/** One setting: how its text is read, and what docs/configuration.md says about it. */
export type Setting<T> = {
  name: string;
  fallback: T;
  /** The default as one would write it. */
  defaultText: string;
  /** What may stand there; completes the sentence "expected …". */
  expected: string;
  meaning: string;
  /** Whether its value is shown nowhere. */
  isSecret?: true;
  read(written: string): Reading<T>;
};

const unreadable = { ok: false } as const;

export function text(
  name: string,
  fallback: string,
  expected: string,
  meaning: string,
): Setting<string> {
  return {
    name,
    fallback,
    defaultText: fallback,
    expected,
    meaning,
    read: (written) => (written.trim() === "" ? unreadable : { ok: true, value: written }),
  };
}

export function count(
  name: string,
  fallback: number,
  [least, most]: readonly [number, number],
  meaning: string,
): Setting<number> {
  return {
    name,
    fallback,
    defaultText: String(fallback),
    expected: `a whole number from ${least} to ${most}`,
    meaning,
    read: (written) => {
      if (!/^\d{1,15}$/.test(written)) return unreadable;
      const value = Number(written);
      return value >= least && value <= most ? { ok: true, value } : unreadable;
    },
  };
}

/** As `count`; `none`, which is the default, reads as null. */
export function countOrNone(
  name: string,
  bounds: readonly [number, number],
  meaning: string,
): Setting<number | null> {
  const some = count(name, 0, bounds, meaning);
  return {
    ...some,
    fallback: null,
    defaultText: "none",
    expected: `${some.expected}, or none`,
    read: (written) => (written.trim() === "none" ? { ok: true, value: null } : some.read(written)),
  };
}

/** Milliseconds, written as a number and ms, s, m, h or d; `leastMs` or more. */
export function duration(
  name: string,
  fallback: number,
  leastMs: number,
  meaning: string,
): Setting<number> {
  const least = leastMs === 0 ? "" : ` of ${formatDuration(leastMs)} or more`;
  return {
    name,
    fallback,
    defaultText: formatDuration(fallback),
    expected: `a duration${least}, such as 500ms, 10s, 5m, 24h or 7d`,
    meaning,
    read: (written) => {
      try {
        const value = parseDuration(written);
        return value >= leastMs ? { ok: true, value } : unreadable;
      } catch {
        return unreadable;
      }
    },
  };
}

/** As `duration`; `none`, which is the default, reads as 0. */
export function durationOrNone(name: string, leastMs: number, meaning: string): Setting<number> {
  const some = duration(name, 0, leastMs, meaning);
  return {
    ...some,
    defaultText: "none",
    expected: `${some.expected}, or none`,
    read: (written) => (written.trim() === "none" ? { ok: true, value: 0 } : some.read(written)),
  };
}

/** A key of this server's API, shown nowhere; null where there is none. */
export function apiKey(name: string, meaning: string): Setting<string | null> {
  return {
    name,
    fallback: null,
    defaultText: "none",
    expected: "a whole key as `earshot keys create` prints it, or none",
    meaning,
    isSecret: true,
    read: (written) => {
      const value = written.trim();
      if (value === "none") return { ok: true, value: null };
      return parseApiKey(value) === null ? unreadable : { ok: true, value };
    },
  };
}

/** A text that is shown nowhere, such as a token; `none` when there is no such thing. */
export function secret(name: string, meaning: string): Setting<string | null> {
  return {
    name,
    fallback: null,
    defaultText: "none",
    expected: "a text without spaces, or none",
    meaning,
    isSecret: true,
    read: (written) => {
      if (written.trim() === "none") return { ok: true, value: null };
      return /^\S{1,4096}$/.test(written) ? { ok: true, value: written } : unreadable;
    },
  };
}

/** A key of 32 bytes; `none` when there is no such thing. */
export function secretKey(name: string, meaning: string): Setting<Uint8Array | null> {
  return {
    name,
    fallback: null,
    defaultText: "none",
    expected: "32 bytes in base64 or in hexadecimal digits, or none",
    meaning,
    isSecret: true,
    read: (written) => {
      if (written.trim() === "none") return { ok: true, value: null };
      const value = readSecretKey(written);
      return value === null ? unreadable : { ok: true, value };
    },
  };
}

/** A file or a folder; null where there is none. */
export function pathOrNone(name: string, what: string, meaning: string): Setting<string | null> {
  return {
    name,
    fallback: null,
    defaultText: "none",
    expected: `${what}, or none`,
    meaning,
    read: (written) => {
      if (written.trim() === "") return unreadable;
      return { ok: true, value: written.trim() === "none" ? null : written };
    },
  };
}

const noAddresses = "none";

/** Web origins (RFC 6454) in the form that browsers send, `*` for all; empty for none. */
export function originList(name: string, meaning: string): Setting<readonly string[]> {
  return {
    name,
    fallback: [],
    defaultText: "none",
    expected: "origins such as https://app.example, separated by commas, * for all, or none",
    meaning,
    read: (written) => {
      const parts = written.split(",").map((part) => part.trim());
      if (parts.length === 1 && parts[0] === "none") return { ok: true, value: [] };
      if (parts.length === 1 && parts[0] === "*") return { ok: true, value: parts };
      const origins = parts.map((part) => (isOrigin(part) ? new URL(part).origin : null));
      const known = origins.filter((origin) => origin !== null);
      return known.length === parts.length ? { ok: true, value: known } : unreadable;
    },
  };
}

const isOrigin = (written: string): boolean =>
  /^https?:\/\/[^/?#@]+$/i.test(written) && URL.canParse(written);

/** IP addresses and networks. */
export function addressList(name: string, meaning: string): Setting<readonly string[]> {
  return {
    name,
    fallback: [],
    defaultText: noAddresses,
    expected: `addresses and networks such as 10.0.0.0/8, separated by commas, or ${noAddresses}`,
    meaning,
    read: (written) => {
      if (written.trim() === noAddresses) return { ok: true, value: [] };
      const parts = written.split(",").map((part) => part.trim());
      const good = parts.every((part) => ipaddr.isValid(part) || ipaddr.isValidCIDR(part));
      return good ? { ok: true, value: parts } : unreadable;
    },
  };
}

export function choice<const Word extends string>(
  name: string,
  fallback: NoInfer<Word>,
  words: readonly Word[],
  meaning: string,
): Setting<Word> {
  return {
    name,
    fallback,
    defaultText: fallback,
    expected: `one of ${words.join(", ")}`,
    meaning,
    read: (written) => {
      const word = words.find((candidate) => candidate === written);
      return word === undefined ? unreadable : { ok: true, value: word };
    },
  };
}

/** Some of a few words, each at most once; all of them, or `fallback`, where nothing is said. */
export function someOf<const Word extends string>(
  name: string,
  words: readonly Word[],
  meaning: string,
  fallback: readonly NoInfer<Word>[] = words,
): Setting<readonly Word[]> {
  return {
    name,
    fallback,
    defaultText: fallback.join(","),
    expected: `one or more of ${words.join(", ")}, separated by commas`,
    meaning,
    read: (written) => {
      const parts = new Set(written.split(",").map((part) => part.trim()));
      const found = words.filter((word) => parts.has(word));
      return found.length === parts.size ? { ok: true, value: found } : unreadable;
    },
  };
}

/** Ids of accounts, DIDs, or none at all. */
export function didList(
  name: string,
  fallback: readonly string[],
  meaning: string,
): Setting<readonly string[]> {
  return {
    name,
    fallback,
    defaultText: fallback.join(",") || "none",
    expected: "DIDs such as did:plc:…, separated by commas, or none",
    meaning,
    read: (written) => {
      if (written.trim() === "none") return { ok: true, value: [] };
      const ids = written.split(",").map((part) => part.trim());
      const good = ids.every((id) => /^did:[a-z]{1,32}:[A-Za-z0-9._:%-]{1,500}$/.test(id));
      return good ? { ok: true, value: ids } : unreadable;
    },
  };
}

/** A text without spaces, such as the id of an app elsewhere; null where there is none. */
export function word(name: string, meaning: string): Setting<string | null> {
  return {
    name,
    fallback: null,
    defaultText: "none",
    expected: "a text without spaces, or none",
    meaning,
    read: (written) => {
      const value = written.trim();
      if (value === "none") return { ok: true, value: null };
      return /^\S{1,256}$/.test(value) ? { ok: true, value } : unreadable;
    },
  };
}

/** Who may sign in with a code host. */
export function allowList(name: string, meaning: string): Setting<readonly AllowedSigner[]> {
  return {
    name,
    fallback: [{ kind: "everyone" }],
    defaultText: "everyone",
    expected:
      "everyone, or logins such as ann or github:ann and organisations such as org:acme or gitlab:org:acme, separated by commas",
    meaning,
    read: (written) => {
      const signers = readAllowList(written);
      return signers === null ? unreadable : { ok: true, value: signers };
    },
  };
}

/** Accounts of code hosts, by their numbers there. */
export function identityList(name: string, meaning: string): Setting<readonly string[]> {
  return {
    name,
    fallback: [],
    defaultText: "none",
    expected: "accounts such as github:583231 or gitlab:42, separated by commas, or none",
    meaning,
    read: (written) => {
      if (written.trim() === "none") return { ok: true, value: [] };
      const parts = written.split(",").map((part) => part.trim());
      const good = parts.every((part) => /^(?:github|gitlab):[1-9]\d{0,18}$/.test(part));
      return good ? { ok: true, value: parts } : unreadable;
    },
  };
}

/** An address without a path, a query or credentials, and without a slash at its end; null where there is none. */
export function publicUrl(name: string, meaning: string): Setting<string | null> {
  return {
    ...urlOrNone(name, ["https:", "http:"], meaning),
    expected: "an address that begins with https:// or http:// and has no path, or none",
    read: (written) => {
      if (written.trim() === "none") return { ok: true, value: null };
      const parsed = URL.parse(written.trim());
      if (parsed === null || !isUrl(written, ["https:", "http:"])) return unreadable;
      return parsed.href === `${parsed.origin}/` ? { ok: true, value: parsed.origin } : unreadable;
    },
  };
}

export function url(
  name: string,
  fallback: string,
  protocols: readonly string[],
  meaning: string,
): Setting<string> {
  return {
    name,
    fallback,
    defaultText: fallback,
    expected: `an address that begins with ${schemesOf(protocols)}`,
    meaning,
    read: (written) =>
      isUrl(written, protocols) ? { ok: true, value: written.trim() } : unreadable,
  };
}

/** One address; null where there is none. */
export function urlOrNone(
  name: string,
  protocols: readonly string[],
  meaning: string,
): Setting<string | null> {
  const some = url(name, "none", protocols, meaning);
  return {
    ...some,
    fallback: null,
    expected: `${some.expected}, or none`,
    read: (written) => (written.trim() === "none" ? { ok: true, value: null } : some.read(written)),
  };
}

/** Addresses, or none at all. */
export function urlListOrNone(
  name: string,
  fallback: readonly string[],
  protocols: readonly string[],
  meaning: string,
): Setting<readonly string[]> {
  const some = urlList(name, fallback, protocols, meaning);
  return {
    ...some,
    defaultText: fallback.length === 0 ? "none" : some.defaultText,
    expected: `${some.expected}, or none`,
    read: (written) => (written.trim() === "none" ? { ok: true, value: [] } : some.read(written)),
  };
}

const schemesOf = (protocols: readonly string[]): string =>
  protocols.map((protocol) => `${protocol}//`).join(" or ");

const isUrl = (written: string, protocols: readonly string[]): boolean =>
  protocols.includes(URL.parse(written.trim())?.protocol ?? "");

export function urlList(
  name: string,
  fallback: readonly string[],
  protocols: readonly string[],
  meaning: string,
): Setting<readonly string[]> {
  return {
    name,
    fallback,
    defaultText: fallback.join(","),
    expected: `addresses that begin with ${schemesOf(protocols)}, separated by commas`,
    meaning,
    read: (written) => {
      const urls = written.split(",").map((part) => part.trim());
      const good = urls.every((url) => isUrl(url, protocols));
      return good ? { ok: true, value: urls } : unreadable;
    },
  };
}
