import type { IdRange } from "../../posts/ids.ts";

export const single = (id: bigint): IdRange => ({ low: id, high: id });
