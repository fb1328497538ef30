import * as z from "zod";
import { record as recordSchema } from "../schemas/records.ts";
import type { PostRecord } from "./record.ts";

/** All field paths, such as `Metadata.public_metrics.like_count`. */
export const fieldNames: readonly string[] = [...new Set(namesIn(recordSchema, ""))];

function namesIn(schema: unknown, prefix: string): string[] {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return namesIn(schema.unwrap(), prefix);
  }
  if (schema instanceof z.ZodUnion) {
    return schema.options.flatMap((option) => namesIn(option, prefix));
  }
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, member]) => [
    prefix + name,
    ...namesIn(member, `${prefix}${name}.`),
  ]);
}

export function readField(record: PostRecord, field: string): unknown {
  let value: unknown = record;
  for (const name of field.split(".")) value = readMember(value, name);
  return value;
}

type Selection = Map<string, Selection | null>;

export function fieldSelector(fields: readonly string[]): (record: PostRecord) => unknown {
  const selection: Selection = new Map();
  for (const field of fields) {
    if (!fields.some((other) => field.startsWith(`${other}.`))) add(selection, field.split("."));
  }
  return (record) => select(record, selection);
}

function add(selection: Selection, [name = "", ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    selection.set(name, null);
    return;
  }
  const inner: Selection = selection.get(name) ?? new Map();
  selection.set(name, inner);
  add(inner, rest);
}

function select(value: unknown, selection: Selection | null): unknown {
  if (selection === null || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    [...selection].map(([name, inner]) => [name, select(readMember(value, name), inner)]),
  );
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return null;
  return Reflect.get(value, name) ?? null;
}
