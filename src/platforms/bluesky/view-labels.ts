import { fieldsOf, list } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import { readLabelValue } from "./self-labels.ts";

const maxLabels = 100;
const longestTime = 64;

export function readViewLabels(value: unknown, nowMs: number): string[] {
  const byKey = new Map<string, string>();
  for (const item of list(value, maxLabels)) {
    const { src, val, neg, exp } = fieldsOf(item);
    const label = readLabelValue(val);
    if (label === null) continue;
    const key = `${typeof src === "string" ? src : ""} ${label}`;
    if (neg === true || hasLapsed(exp, nowMs)) byKey.delete(key);
    else byKey.set(key, label);
  }
  return [...new Set(byKey.values())];
}

function hasLapsed(exp: unknown, nowMs: number): boolean {
  if (typeof exp !== "string" || exp.length > longestTime) return false;
  const expiresMs = parseIsoTime(exp);
  return expiresMs !== null && expiresMs <= nowMs;
}

/** Hide from everyone. */
const removing: readonly string[] = ["!takedown", "!hide", "!suspend"];

export const isRemoved = (labels: readonly string[]): boolean =>
  labels.some((label) => removing.includes(label));

export const isAccountWithheld = (labels: readonly string[]): boolean =>
  isRemoved(labels) || labels.includes("!no-unauthenticated");
