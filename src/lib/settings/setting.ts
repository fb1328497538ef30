import { formatDuration, parseDuration } from "../duration.ts";
import { readSecretKey } from "../secret-key.ts";

/** An environment variable. Not parsed by zod, because every command loads the settings. */
export type Setting<T> = {
  name: string;
  fallback: T;
  defaultText: string;
  expected: string;
  description: string;
  isSecret?: true;
  parse(text: string): T | undefined;
};

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

export type SettingsOf<Table extends SettingTable> = {
  [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export function settingDefaults<Table extends SettingTable>(table: Table): SettingsOf<Table> {
  const values = Object.entries(table).map(([name, { fallback }]) => [name, fallback]);
  // `fromEntries` loses the types of keys and values.
  return Object.fromEntries(values) as SettingsOf<Table>;
}

export type Kind<T> = Pick<Setting<T>, "expected" | "parse"> & { format(value: T): string };

export function setting<T>(
  name: string,
  kind: Kind<T>,
  fallback: NoInfer<T>,
  description: string,
): Setting<T> {
  const { expected, parse, format } = kind;
  return { name, fallback, defaultText: format(fallback), expected, description, parse };
}

export function orNone<T, Absent extends null | 0>(
  { expected, parse, format }: Kind<T>,
  absent: Absent,
): Kind<T | Absent> {
  return {
    expected: `${expected}, or none`,
    parse: (text) => (text === "none" ? absent : parse(text)),
    format: (value) => (value === absent ? "none" : format(value as T)),
  };
}

/** Comma-separated, not empty. */
export function commaSeparated<T>(
  expected: string,
  item: Pick<Kind<T>, "parse">,
): Kind<readonly T[]> {
  return {
    expected: `${expected}, separated by commas`,
    parse: (text) => {
      const items = text.split(",").map((part) => item.parse(part.trim()));
      const valid = items.filter((value) => value !== undefined);
      return valid.length === items.length ? valid : undefined;
    },
    format: (values) => values.join(","),
  };
}

/** `none` means the empty list. */
export function listOrNone<T>(expected: string, item: Pick<Kind<T>, "parse">): Kind<readonly T[]> {
  const list = commaSeparated(expected, item);
  return {
    expected: `${list.expected}, or none`,
    parse: (text) => (text === "none" ? [] : list.parse(text)),
    format: (values) => (values.length === 0 ? "none" : list.format(values)),
  };
}

export function matching(expected: string, pattern: RegExp): Kind<string> {
  return {
    expected,
    parse: (text) => (pattern.test(text) ? text : undefined),
    format: (value) => value,
  };
}

export function text(
  name: string,
  fallback: string,
  expected: string,
  description: string,
): Setting<string> {
  return setting(name, matching(expected, /\S/), fallback, description);
}

/** Bounds are inclusive. */
export function count(
  name: string,
  fallback: number,
  bounds: readonly [min: number, max: number],
  description: string,
): Setting<number> {
  return setting(name, wholeNumber(bounds), fallback, description);
}

export function countOrNone(
  name: string,
  bounds: readonly [min: number, max: number],
  description: string,
): Setting<number | null> {
  return setting(name, orNone(wholeNumber(bounds), null), null, description);
}

function wholeNumber([min, max]: readonly [number, number]): Kind<number> {
  return {
    expected: `a whole number from ${min} to ${max}`,
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
    format: String,
  };
}

export function duration(
  name: string,
  fallback: number,
  minMs: number,
  description: string,
): Setting<number> {
  return setting(name, durationFrom(minMs), fallback, description);
}

export function durationOrNone(name: string, minMs: number, description: string): Setting<number> {
  return setting(name, orNone(durationFrom(minMs), 0), 0, description);
}

function durationFrom(minMs: number): Kind<number> {
  const min = minMs === 0 ? "" : ` of ${formatDuration(minMs)} or more`;
  return {
    expected: `a duration${min}, such as 500ms, 10s, 5m, 24h or 7d`,
    parse: (text) => {
      try {
        const value = parseDuration(text);
        return value >= minMs ? value : undefined;
      } catch {
        return undefined;
      }
    },
    format: formatDuration,
  };
}

export function choice<const Word extends string>(
  name: string,
  fallback: NoInfer<Word>,
  words: readonly Word[],
  description: string,
): Setting<Word> {
  const kind: Kind<Word> = {
    expected: `one of ${words.join(", ")}`,
    parse: (text) => words.find((word) => word === text),
    format: String,
  };
  return setting(name, kind, fallback, description);
}

export function wordsSetting<const Word extends string>(
  name: string,
  words: readonly Word[],
  description: string,
  fallback: readonly NoInfer<Word>[] = words,
): Setting<readonly Word[]> {
  const kind: Kind<readonly Word[]> = {
    expected: `one or more of ${words.join(", ")}, separated by commas`,
    parse: (text) => {
      const parts = new Set(text.split(",").map((part) => part.trim()));
      const names = words.filter((word) => parts.has(word));
      return names.length === parts.size ? names : undefined;
    },
    format: (found) => found.join(","),
  };
  return setting(name, kind, fallback, description);
}

export function word(name: string, description: string): Setting<string | null> {
  const kind = orNone(matching("text without spaces", /^\S{1,256}$/), null);
  return setting(name, kind, null, description);
}

export function secret(name: string, description: string): Setting<string | null> {
  const kind = orNone(matching("text without spaces", /^\S{1,4096}$/), null);
  return { ...setting(name, kind, null, description), isSecret: true };
}

export function secretKey(name: string, description: string): Setting<Uint8Array | null> {
  const kind: Kind<Uint8Array> = {
    expected: "32 bytes in base64 or hexadecimal",
    parse: (text) => readSecretKey(text) ?? undefined,
    format: () => "",
  };
  return { ...setting(name, orNone(kind, null), null, description), isSecret: true };
}

export function pathOrNone(
  name: string,
  expected: string,
  description: string,
): Setting<string | null> {
  return setting(name, orNone(matching(expected, /\S/), null), null, description);
}

export function didList(
  name: string,
  fallback: readonly string[],
  description: string,
): Setting<readonly string[]> {
  const did = matching("", /^did:[a-z]{1,32}:[A-Za-z0-9._:%-]{1,500}$/);
  return setting(name, listOrNone("DIDs such as did:plc:…", did), fallback, description);
}
