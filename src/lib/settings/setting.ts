/**
 * An environment variable: how its text is parsed, and its row in the documentation. Without zod, as every command loads the
 * settings and its start should not wait for it.
 */
export type Setting<T> = {
  name: string;
  fallback: T;
  /** The default as it would be written. */
  defaultText: string;
  /** The allowed values; completes the sentence "expected …". */
  expected: string;
  meaning: string;
  /** Whether the value is never shown. */
  isSecret?: true;
  /** Undefined for an invalid text. */
  parse(written: string): T | undefined;
};

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

/** The values that a table of settings describes. */
export type SettingsOf<Table extends SettingTable> = {
  [Name in keyof Table]: Table[Name] extends Setting<infer T> ? T : never;
};

export function defaultsOf<Table extends SettingTable>(table: Table): SettingsOf<Table> {
  const values = Object.entries(table).map(([name, { fallback }]) => [name, fallback]);
  // The keys and values are the table's own, which the type of fromEntries cannot express.
  return Object.fromEntries(values) as SettingsOf<Table>;
}

/** A type of value: the texts it can be written as. */
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

/** A kind that can also be written `none`. */
export function orNone<T, Absent extends null | 0>(
  { expected, parse, format }: Kind<T>,
  absent: Absent,
): Kind<T | Absent> {
  return {
    expected: `${expected}, or none`,
    parse: (written) => (written === "none" ? absent : parse(written)),
    format: (value) => (value === absent ? "none" : format(value as T)),
  };
}

/** One or more of a kind, separated by commas. */
export function listOf<T>(expected: string, item: Pick<Kind<T>, "parse">): Kind<readonly T[]> {
  return {
    expected: `${expected}, separated by commas`,
    parse: (written) => {
      const items = written.split(",").map((part) => item.parse(part.trim()));
      const valid = items.filter((value) => value !== undefined);
      return valid.length === items.length ? valid : undefined;
    },
    format: (values) => values.join(","),
  };
}

/** As `listOf`, or empty, written `none`. */
export function listOrNone<T>(expected: string, item: Pick<Kind<T>, "parse">): Kind<readonly T[]> {
  const some = listOf(expected, item);
  return {
    expected: `${some.expected}, or none`,
    parse: (written) => (written === "none" ? [] : some.parse(written)),
    format: (values) => (values.length === 0 ? "none" : some.format(values)),
  };
}

/** A text that a pattern matches. */
export function matching(expected: string, pattern: RegExp): Kind<string> {
  return {
    expected,
    parse: (written) => (pattern.test(written) ? written : undefined),
    format: (value) => value,
  };
}
