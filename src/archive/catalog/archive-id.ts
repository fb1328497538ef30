import { createHash } from "node:crypto";

/** Does not reveal the key. */
export const archiveId = (uriKey: string): string =>
  createHash("sha256").update(`earshot archive ${uriKey}`).digest("hex").slice(0, 32);
