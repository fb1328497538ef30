import { createHash } from "node:crypto";

export const archiveId = (uriKey: string): string =>
  createHash("sha256").update(`earshot archive ${uriKey}`).digest("hex").slice(0, 32);
