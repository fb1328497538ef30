/** An environment variable. Not parsed by zod, because every command loads the settings. */
export type Setting<T> = {
  name: string;
  fallback: T;
  defaultText: string;
  expected: string;
  meaning: string;
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
  meaning: string,
): Setting<T> {
  const { expected, parse, format } = kind;
  return { name, fallback, defaultText: format(fallback), expected, meaning, parse };
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

/** `none` is the empty list. */
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
