import { decode } from "@atcute/cbor";
import { isBoundedCbor } from "./cbor-bounds.ts";

/** Far above any record or tree node. */
const bounds = { depth: 64, items: 50_000 };

/** Throws unless the bytes are DAG-CBOR within the bounds. */
export function decodeBlock(bytes: Uint8Array): unknown {
  if (!isBoundedCbor(bytes, bounds)) throw new Error("not CBOR, or too large for a block");
  return decode(bytes);
}
