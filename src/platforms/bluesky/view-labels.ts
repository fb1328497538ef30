import { fieldsOf, list } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import { readLabelValue } from "./self-labels.ts";

const mostLabels = 100;
const longestTime = 64;

/**
 * The labels of a view that hold at a moment, each once: what was taken back or has lapsed counts no more. The AppView shows
 * those of the account itself and of the labelers that were asked for.
 */
export function readViewLabels(value: unknown, nowMs: number): string[] {
  const held = new Map<string, string>();
  for (const item of list(value, mostLabels)) {
    const { src, val, neg, exp } = fieldsOf(item);
    const label = readLabelValue(val);
    if (label === null) continue;
    const key = `${typeof src === "string" ? src : ""} ${label}`;
    if (neg === true || hasLapsed(exp, nowMs)) held.delete(key);
    else held.set(key, label);
  }
  return [...new Set(held.values())];
}

function hasLapsed(exp: unknown, nowMs: number): boolean {
  if (typeof exp !== "string" || exp.length > longestTime) return false;
  const expiresMs = parseIsoTime(exp);
  return expiresMs !== null && expiresMs <= nowMs;
}

/** Labels that take a post or an account away from everyone. */
const removing: readonly string[] = ["!takedown", "!hide", "!suspend"];

export const isRemoved = (labels: readonly string[]): boolean =>
  labels.some((label) => removing.includes(label));

/** Whether an account is removed, or does not want to be shown to those who are not logged in. */
export const isAccountWithheld = (labels: readonly string[]): boolean =>
  isRemoved(labels) || labels.includes("!no-unauthenticated");
