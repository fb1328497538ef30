import type { IdRange } from "../../posts/ids.ts";

/** The range of one post. */
export const single = (id: bigint): IdRange => ({ low: id, high: id });
