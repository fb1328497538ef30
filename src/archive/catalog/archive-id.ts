import { createHash } from "node:crypto";

/** Derived from the key of the uri hashes without revealing it. */
export const archiveId = (uriKey: string): string =>
  createHash("sha256").update(`earshot archive ${uriKey}`).digest("hex").slice(0, 32);
