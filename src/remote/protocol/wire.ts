import * as z from "zod";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { methodNames, sourceTypes } from "../../platforms/methods.ts";
import type { AnswerRequest, SourceAnswer } from "../../platforms/source.ts";
import { sourceWays } from "../../platforms/source.ts";
import type { Target } from "../../platforms/target.ts";
import type { FetchPlace } from "../../platforms/upstream.ts";
import { lastId } from "../../posts/ids.ts";
import { platforms } from "../../posts/post.ts";

/**
 * What a request and an answer look like as text: members in the order of these shapes, ids as text, times in Unix milliseconds.
 * Each is written in one way alone (`writtenAs`), so that whoever reads it with another reader reads the same.
 */
export const platformName = z.enum(platforms);

/** The id of a post, from 0 to 2^63 - 1. */
export const postId = z
  .string()
  .refine((text) => /^(?:0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text) <= lastId);

/** The third is the `uriHash` of a post, where its millisecond is ordered by it. */
const position = z.union([
  z.tuple([platformName, postId]),
  z.tuple([platformName, postId, z.string().regex(/^[0-9a-f]{32}$/)]),
]);
/** A time that dates can tell. */
const ms = z.int().min(-8_640_000_000_000_000).max(8_640_000_000_000_000);
/** Addresses grow when what is no ASCII in them is escaped. */
const name = z.string().max(32_768).nullable();

const target: z.ZodType<Target> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("user"),
    platform: platformName.nullable(),
    handle: name,
    id: name,
    host: name,
  }),
  z.object({
    kind: z.literal("post"),
    platform: platformName.nullable(),
    uri: name,
    id: name,
    host: name,
    url: name,
    handle: name,
    key: name,
  }),
  z.object({
    kind: z.literal("space"),
    platform: platformName.nullable(),
    id: z.string().max(2_048),
  }),
]);

/** Which node has the credential is for the gateway to know. */
const place: z.ZodType<Omit<FetchPlace, "nodeId">> = z.object({
  platform: platformName,
  credentialId: z.string().max(256).nullable(),
  cursor: z.string().max(16_384).nullable(),
  lastKey: z.string().max(256).nullable(),
  skip: z.int().min(0).max(100_000),
  route: z.string().max(64).optional(),
  toMs: z.number().int().optional(),
});

export const requestShape = z.object({
  platform: z.enum(["social", ...platforms]),
  type: z.enum(sourceTypes),
  method: z.enum(methodNames),
  query: z.string().max(65_536),
  target: target.nullable(),
  fromMs: ms.nullable(),
  toMs: ms,
  asOfMs: ms,
  after: position.nullable(),
  place: place.nullable(),
  maxResults: z.int().min(1).max(1_000),
});

const span = { fromMs: ms.nullable(), toMs: ms };
const spans = z.array(z.object(span)).max(10_000);

const coverage = z.object({
  ...span,
  complete: z.boolean(),
  gaps: spans,
  truncated: z.boolean().exactOptional(),
  platforms: z
    .array(
      z.object({
        platform: platformName,
        collection: z.enum(["posts", "likes", "reposts", "labels"]),
        complete: z.boolean(),
        held: spans,
        gaps: spans,
        truncated: z.boolean(),
      }),
    )
    .max(platforms.length * 4)
    .exactOptional(),
});

/** What one answer may have cost, in units of the platform and in millionths of a dollar: a thousand dollars at most. */
const units = z.number().min(0).max(1_000_000);
const microUsd = z.number().min(0).max(1_000_000_000);
/** Of a month, as many as a budget may be set to. */
const monthUnits = z.number().min(0).max(1_000_000_000_000);

const sourcePart = z.object({
  platform: platformName,
  via: z.enum(sourceWays),
  ...span,
  count: z.int().min(0).max(1_000),
  cost: z
    .object({
      postReads: units.exactOptional(),
      userReads: units.exactOptional(),
      requests: units.exactOptional(),
      microUsd,
      month: z
        .object({
          name: z.string().regex(/^[0-9]{4}-[0-9]{2}$/),
          postReads: monthUnits,
          mostPostReads: monthUnits,
        })
        .nullable(),
    })
    .exactOptional(),
});

const warning = z.object({
  code: z.string().regex(/^[a-z0-9_]{1,64}$/),
  message: z.string().max(4_096),
  offset: z.int().min(0).exactOptional(),
  length: z.int().min(0).exactOptional(),
  hint: z.string().max(4_096).exactOptional(),
});

/** What a node knows of its answer beside the items. */
export const knowledgeShape = z.object({
  next: position.nullable(),
  nextPlace: place.nullable(),
  complete: z.boolean(),
  coverage,
  sources: z.array(sourcePart).max(1_000),
  warnings: z.array(warning).max(1_000),
});

/** The text of a value; members that its shape does not know are left out. Errors: what does not fit the shape. */
export function writtenAs<Shape>(shape: z.ZodType<Shape>, value: unknown): string {
  return JSON.stringify(shape.parse(value));
}

/** The value of a text of at most `mostCharacters`; null for anything but what `writtenAs` writes. */
export function readAs<Shape>(
  shape: z.ZodType<Shape>,
  text: string,
  mostCharacters: number,
): Shape | null {
  if (text.length > mostCharacters) return null;
  try {
    const value = shape.parse(parseUntrustedJson(text));
    return JSON.stringify(value) === text ? value : null;
  } catch {
    return null;
  }
}

type WirePosition = z.infer<typeof position>;

export function packed(at: AnswerRequest["after"]): WirePosition | null {
  if (at === null) return null;
  const { platform, id, uriHash } = at;
  return uriHash === undefined ? [platform, id.toString()] : [platform, id.toString(), uriHash];
}

export function unpacked(at: WirePosition | null): SourceAnswer["next"] {
  if (at === null) return null;
  const [platform, id, uriHash] = at;
  return { platform, id: BigInt(id), ...(uriHash === undefined ? {} : { uriHash }) };
}
