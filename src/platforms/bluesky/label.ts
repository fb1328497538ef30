import type { ArchiveChange } from "../../archive/archive.ts";
import { asFields } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import { isDid, parseAtUri } from "./at-uri.ts";
import { postCollection } from "./post.ts";
import { parseProfileAddress } from "./profile.ts";
import { readLabelValue } from "./self-labels.ts";

export type LabelChange = Extract<ArchiveChange, { kind: "label" }>;

/**
 * https://atproto.com/specs/label. `unsupported`: on another subject, such as a list. A future time
 * becomes `nowMs`, because otherwise no later label could negate it.
 */
export function readLabel(
  value: unknown,
  nowMs: number,
): LabelChange | "unsupported" | "unreadable" {
  const { src, uri, neg, cts, exp } = asFields(value);
  const label = readLabelValue(asFields(value).val);
  const createdMs = readTime(cts);
  if (typeof src !== "string" || !isDid(src) || typeof uri !== "string") return "unreadable";
  if (label === null || createdMs === null) return "unreadable";
  if (neg !== undefined && typeof neg !== "boolean") return "unreadable";
  const expiresMs = exp === undefined ? null : readTime(exp);
  if (exp !== undefined && expiresMs === null) return "unreadable";
  const subject = uriSubject(uri);
  if (subject === null) return "unsupported";
  return {
    kind: "label",
    platform: "bluesky",
    subject,
    source: src,
    value: label,
    negated: neg === true,
    createdMs: Math.min(createdMs, nowMs),
    expiresMs,
  };
}

const maxTimeLength = 64;

function readTime(value: unknown): number | null {
  return typeof value === "string" && value.length <= maxTimeLength ? parseIsoTime(value) : null;
}

function uriSubject(uri: string): string | null {
  return parseAtUri(uri)?.collection === postCollection ? uri : parseProfileAddress(uri);
}
