import type { IdRange } from "../../posts/ids.ts";

export const singleId = (id: bigint): IdRange => ({ low: id, high: id });
