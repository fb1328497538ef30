import { decode } from "@atcute/cbor";
import { isBoundedCbor } from "./cbor-bounds.ts";

/** Far above what records and the nodes of a tree hold. */
const bounds = { depth: 64, items: 50_000 };

/** The value of a block of a repository. Throws for what is no DAG-CBOR, and for more of it than a block may hold. */
export function decodeBlock(bytes: Uint8Array): unknown {
  if (!isBoundedCbor(bytes, bounds)) throw new Error("not CBOR, or more of it than a block holds");
  return decode(bytes);
}
