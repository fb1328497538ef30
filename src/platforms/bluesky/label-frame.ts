import { decodeFirst } from "@atcute/cbor";
import { errorMessage } from "../../lib/errors.ts";
import { asFields, isObject, string } from "../fields.ts";
import { isBoundedCbor } from "./block.ts";

/** https://docs.bsky.app/docs/api/com-atproto-label-subscribe-labels */
export type LabelFrame =
  | {
      kind: "labels";
      seq: number;
      labels: readonly unknown[];
    }
  /** The requested position is no longer available: `OutdatedCursor`. */
  | { kind: "info"; name: string; message: string }
  /** Ends the connection: `FutureCursor`, `ConsumerTooSlow`. */
  | { kind: "error"; name: string; message: string }
  | { kind: "other" }
  | { kind: "unreadable"; reason: string };

export type LabelFrameBounds = { maxLabels: number };

/** One map, with the keys and values of ten fields. */
const itemsPerLabel = 21;
const otherItems = 100;
/** A body is a map with a list of maps. */
const maxDepth = 8;

/** Two DAG-CBOR items, whose claimed lengths are checked first. */
export function readLabelFrame(bytes: Uint8Array, { maxLabels }: LabelFrameBounds): LabelFrame {
  const items = otherItems + maxLabels * itemsPerLabel;
  if (!isBoundedCbor(bytes, { depth: maxDepth, items })) {
    return {
      kind: "unreadable",
      reason: "not CBOR, or too large for a label frame",
    };
  }
  try {
    const [header, rest] = decodeFirst(bytes);
    const [body, trailing] = decodeFirst(rest);
    if (trailing.length > 0)
      return { kind: "unreadable", reason: "extra bytes after the header and body" };
    return readFrame(asFields(header), body, maxLabels);
  } catch (error) {
    return { kind: "unreadable", reason: `not DAG-CBOR: ${errorMessage(error)}` };
  }
}

function readFrame(header: Record<string, unknown>, body: unknown, maxLabels: number): LabelFrame {
  if (!isObject(body)) return { kind: "unreadable", reason: "the body is not a map" };
  const message = shortText(body.message);
  if (header.op === -1) return { kind: "error", name: shortText(body.error), message };
  if (header.op !== 1) return { kind: "unreadable", reason: "op: neither 1 nor -1" };
  if (header.t === "#info") return { kind: "info", name: shortText(body.name), message };
  if (header.t !== "#labels") return { kind: "other" };
  const { seq, labels } = body;
  if (!Number.isSafeInteger(seq) || Number(seq) < 0) {
    return { kind: "unreadable", reason: "seq: not a sequence number" };
  }
  if (!Array.isArray(labels)) return { kind: "unreadable", reason: "labels: not a list" };
  if (labels.length > maxLabels) {
    return { kind: "unreadable", reason: `more than ${maxLabels} labels` };
  }
  return { kind: "labels", seq: Number(seq), labels };
}

const shortText = (value: unknown): string => string(value, 300) ?? "";
