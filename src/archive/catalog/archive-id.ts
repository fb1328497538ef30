import { createHash } from "node:crypto";

/** What an archive is recognised by: it follows from the key of its uri hashes, and does not give it away. */
export const archiveId = (uriKey: string): string =>
  createHash("sha256").update(`earshot archive ${uriKey}`).digest("hex").slice(0, 32);
