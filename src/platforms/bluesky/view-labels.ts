import { asFields, list } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import { readLabelValue } from "./self-labels.ts";

const maxLabels = 100;
const maxTimeLength = 64;

export function readViewLabels(value: unknown, nowMs: number): string[] {
  const byKey = new Map<string, string>();
  for (const item of list(value, maxLabels)) {
    const { src, val, neg, exp } = asFields(item);
    const label = readLabelValue(val);
    if (label === null) continue;
    const key = `${typeof src === "string" ? src : ""} ${label}`;
    if (neg === true || isExpired(exp, nowMs)) byKey.delete(key);
    else byKey.set(key, label);
  }
  return [...new Set(byKey.values())];
}

function isExpired(exp: unknown, nowMs: number): boolean {
  if (typeof exp !== "string" || exp.length > maxTimeLength) return false;
  const expiresMs = parseIsoTime(exp);
  return expiresMs !== null && expiresMs <= nowMs;
}

/** These hide a post or an account from everyone. */
const removalLabels: readonly string[] = ["!takedown", "!hide", "!suspend"];

export const isRemoved = (labels: readonly string[]): boolean =>
  labels.some((label) => removalLabels.includes(label));

export const isAccountWithheld = (labels: readonly string[]): boolean =>
  isRemoved(labels) || labels.includes("!no-unauthenticated");
