import { decode } from "@atcute/cbor";
import { isBoundedCbor } from "./cbor-bounds.ts";

/** Far above what records and tree nodes contain. */
const bounds = { depth: 64, items: 50_000 };

/** Throws if the bytes are not DAG-CBOR or exceed the bounds. */
export function decodeBlock(bytes: Uint8Array): unknown {
  if (!isBoundedCbor(bytes, bounds)) throw new Error("not CBOR, or too large for a block");
  return decode(bytes);
}
