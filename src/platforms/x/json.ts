import { lastId, xIdOf } from "../../posts/ids.ts";
import { fieldsOf, string } from "../fields.ts";
import type { PostTarget } from "../target.ts";

/** The number of a post or an account, as X writes it; null for anything else. */
export function numberText(value: unknown): string | null {
  if (typeof value !== "string" || !/^[1-9]\d{0,18}$/.test(value)) return null;
  return BigInt(value) <= lastId ? value : null;
}

/** A count; null for what is none. */
export function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function truth(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** A text that is not empty, cut to `most` UTF-16 code units. */
export function filled(value: unknown, most: number): string | null {
  return string(value, most) || null;
}

/** An http or https address of up to 4,096 characters. */
export function address(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 4_096) return null;
  if (!/^https?:\/\/[^\s]+$/i.test(value) || !URL.canParse(value)) return null;
  return value.toWellFormed();
}

/** A name by which X calls an account, without its `@`. */
export function handle(value: unknown): string | null {
  return typeof value === "string" && isHandle(value) ? value : null;
}

export const isHandle = (text: string): boolean => /^[A-Za-z0-9_]{1,15}$/.test(text);

/** The value of the first of these fields that is there: X has two names for many. */
export function either(value: unknown, ...names: readonly string[]): unknown {
  const fields = fieldsOf(value);
  for (const name of names) {
    const found = fields[name];
    if (found !== undefined && found !== null) return found;
  }
  return null;
}

/** The number of the post that a query names; null where it names none of X. */
export function postNumber({ id, uri }: PostTarget): string | null {
  return numberText(id) ?? numberText(uri === null ? null : xIdOf(uri)?.toString());
}
