import * as z from "zod";
import { rangeNames } from "../dashboard/ranges.ts";
import { closedObject, wording } from "./words.ts";

export const range = z
  .enum(rangeNames, wording("there is no such range", `write one of ${rangeNames.join(", ")}`))
  .default("24h");

const noKeyId = wording("expected the id of a key", "take one of the answer's keys");
const keyId = z.string(noKeyId).max(64, noKeyId);

export const usageQuery = closedObject(
  {
    what: "parameter",
    needed: "the query string is not valid",
    hint: "the parameters are range and key, such as ?range=7d",
  },
  { range, key: keyId.optional() },
);

export const serviceStatusQuery = closedObject(
  {
    what: "parameter",
    needed: "the query string is not valid",
    hint: "the only parameter is range, such as ?range=7d",
  },
  { range },
);
