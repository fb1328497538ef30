import * as z from "zod";
import { createJsonMeter } from "../../lib/json-shape.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import { checkPostNames, nameMissing } from "./check-names.ts";
import { answerRefused } from "./faults.ts";

/** Largest record, characters. */
const mostCharacters = 262_144;

/** A post has some 50 different names. Records are parsed again, many at a time, when they are shown. */
const mostNames = 200;

const name = z.string().nullable().default(null);

const recordShape = z.strictObject({
  ID: z.string().max(2_048),
  Content: z.string(),
  Metadata: z.looseObject({
    /** Absent from posts, `ids` for those of which no more may be told. */
    kind: z.enum(["ids", "profile", "trend", "space"]).optional(),
    platform: z.string(),
    uri: name,
    user_id: name,
    created_at: z.string().nullable().default(null),
    origin: z.string().nullable().default(null),
    is_retweet: z.boolean().nullable().default(null),
    reposted: z.looseObject({ uri: name, user_id: name }).nullable().default(null),
  }),
  Score: z.number(),
});

/** What the gateway looks at in a record. */
export type ReadRecord = {
  id: string;
  isPost: boolean;
  /** Unix milliseconds; null where it is not told. */
  createdMs: number | null;
};

/**
 * Reads the record of an item and holds the two against each other: what is deleted or hidden later is told by the item's uri
 * and user, so they have to be the record's own. Errors: `answer_refused` with `record_malformed`, `item_mismatch`, or what
 * check-names.ts tells.
 */
export function readRecord(item: FetchedItem): ReadRecord {
  const record = parsed(item.record);
  if (record === null) {
    throw answerRefused("record_malformed", "a record of the answer is malformed");
  }
  const { platform, uri, user_id: userId, kind, created_at: createdAt } = record.Metadata;
  const isPost = kind === undefined || kind === "ids";
  const isSame =
    platform === item.platform &&
    uri === item.uri &&
    userId === item.userId &&
    isPost === (item.id !== null) &&
    (item.id === null || record.ID === item.id.toString());
  if (!isSame) {
    throw answerRefused("item_mismatch", "an item of the answer names another than its record");
  }
  if (isPost) checkPostNames(item, record.Metadata);
  if (kind === "profile" && (userId === null || userId !== record.ID)) throw nameMissing();
  const createdMs = createdAt === null ? Number.NaN : Date.parse(createdAt);
  return { id: record.ID, isPost, createdMs: Number.isNaN(createdMs) ? null : createdMs };
}

/**
 * Null for what is not in the form in which records are written: a member that is there twice, or a number in another spelling,
 * would say one thing to this reader and another to the next.
 */
function parsed(text: string): z.infer<typeof recordShape> | null {
  if (text.length > mostCharacters) return null;
  try {
    if (createJsonMeter()(Buffer.from(text, "utf8")).names > mostNames) return null;
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? recordShape.parse(value) : null;
  } catch {
    return null;
  }
}
