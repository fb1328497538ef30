/**
 * The parts of RFC 9651 that Earshot uses. Unrepresentable values throw a plain Error, because all
 * values are Earshot's own.
 */
type BareItem = string | number | boolean | Uint8Array;

export type FieldItem = { value: BareItem; parameters?: Readonly<Record<string, BareItem>> };

/** Section 4.1.1: `"burst";q=3;w=1, "search";q=10`. */
export function serializeList(items: readonly FieldItem[]): string {
  return items.map((item) => bareItem(item.value) + parameters(item)).join(", ");
}

/** Section 4.1.2: `complete=?0, gaps=2`; a true member is written as its key alone. */
export function serializeDictionary(members: Readonly<Record<string, FieldItem>>): string {
  return Object.entries(members)
    .map(([name, item]) => {
      const value = item.value === true ? "" : `=${bareItem(item.value)}`;
      return key(name) + value + parameters(item);
    })
    .join(", ");
}

function parameters(item: FieldItem): string {
  return Object.entries(item.parameters ?? {})
    .map(([name, value]) => `;${key(name)}${value === true ? "" : `=${bareItem(value)}`}`)
    .join("");
}

function bareItem(value: BareItem): string {
  if (typeof value === "boolean") return value ? "?1" : "?0";
  if (typeof value === "number") return integer(value);
  if (value instanceof Uint8Array) return `:${Buffer.from(value).toString("base64")}:`;
  if (!/^[\x20-\x7e]*$/.test(value)) {
    throw new Error("a structured field can contain only printable ASCII");
  }
  return `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}

const largestInteger = 999_999_999_999_999;

function integer(value: number): string {
  if (!Number.isInteger(value) || Math.abs(value) > largestInteger) {
    throw new Error(`a structured field can contain integers of up to 15 digits, not ${value}`);
  }
  return String(value === 0 ? 0 : value);
}

function key(name: string): string {
  if (!/^[a-z*][a-z0-9_.*-]*$/.test(name)) {
    throw new Error(`${JSON.stringify(name)} is not a valid key of a structured field`);
  }
  return name;
}
