import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";

type Verifier = typeof import("@phala/dcap-qvl");

/** What the library is made of. All of it at once would hold the event loop for 50 ms. */
const parts = ["bn.js", "hash.js", "elliptic", "asn1.js"];

let loading: Promise<Verifier> | null = null;

/** The library that judges quotes. It takes 17 MB, so it is loaded where the first quote is verified. */
export function loadVerifier(): Promise<Verifier> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Verifier> {
  const requirePart = createRequire(import.meta.resolve("@phala/dcap-qvl"));
  for (const part of parts) {
    requirePart(part);
    await nextTurn();
  }
  return import("@phala/dcap-qvl");
}
