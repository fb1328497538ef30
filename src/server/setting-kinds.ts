import ipaddr from "ipaddr.js";
import { formatDuration, parseDuration } from "../lib/duration.ts";

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

const noAddresses = "none";

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

export function urlList(
  name: string,
  fallback: readonly string[],
  protocols: readonly string[],
  meaning: string,
): Setting<readonly string[]> {
  const schemes = protocols.map((protocol) => `${protocol}//`).join(" or ");
  return {
    name,
    fallback,
    defaultText: fallback.join(","),
    expected: `addresses that begin with ${schemes}, separated by commas`,
    meaning,
    read: (written) => {
      const urls = written.split(",").map((part) => part.trim());
      const good = urls.every((url) => protocols.includes(URL.parse(url)?.protocol ?? ""));
      return good ? { ok: true, value: urls } : unreadable;
    },
  };
}
