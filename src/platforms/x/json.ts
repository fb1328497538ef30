import { lastId, parseXId } from "../../posts/ids.ts";
import { asFields, string } from "../fields.ts";
import type { PostTarget } from "../target.ts";

export function readIdText(value: unknown): string | null {
  if (typeof value !== "string" || !/^[1-9]\d{0,18}$/.test(value)) return null;
  return BigInt(value) <= lastId ? value : null;
}

export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function readBoolean(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** Cut to `max` UTF-16 code units; null if empty. */
export function nonEmptyText(value: unknown, max: number): string | null {
  return string(value, max) || null;
}

export function readHttpUrl(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 4_096) return null;
  if (!/^https?:\/\/[^\s]+$/i.test(value) || !URL.canParse(value)) return null;
  return value.toWellFormed();
}

export function readUsername(value: unknown): string | null {
  return typeof value === "string" && isUsername(value) ? value : null;
}

export const isUsername = (text: string): boolean => /^[A-Za-z0-9_]{1,15}$/.test(text);

/** X has two names for many fields. */
export function firstPresent(value: unknown, ...names: readonly string[]): unknown {
  const fields = asFields(value);
  for (const name of names) {
    const field = fields[name];
    if (field !== undefined && field !== null) return field;
  }
  return null;
}

export function targetPostId({ id, uri }: PostTarget): string | null {
  return readIdText(id) ?? readIdText(uri === null ? null : parseXId(uri)?.toString());
}
