import * as z from "zod";
import { rangeNames } from "../dashboard/ranges.ts";
import { closedQuery, errorWithHint } from "./words.ts";

export const range = z
  .enum(rangeNames, errorWithHint("unknown range", `use ${rangeNames.join(", ")}`))
  .default("24h");

const noKeyId = errorWithHint("expected the id of a key", "use an id from the answer's keys");
const keyId = z.string(noKeyId).max(64, noKeyId);

export const usageQuery = closedQuery("use range and key, such as ?range=7d", {
  range,
  key: keyId.optional(),
});

export const serviceStatusQuery = closedQuery("use only range, such as ?range=7d", { range });
