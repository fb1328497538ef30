/** Each value has one spelling. Times are Unix milliseconds. */

import * as z from "zod";
import type { Position } from "../../archive/archive.ts";
import { methodNames, sourceTypes } from "../../platforms/methods.ts";
import { accessMethods } from "../../platforms/source.ts";
import type { Target } from "../../platforms/target.ts";
import type { FetchPosition } from "../../platforms/upstream.ts";
import { lastId } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";

export const platformName = z.enum(platforms);

export const postId = z
  .string()
  .refine((text) => /^(?:0|[1-9][0-9]{0,18})$/.test(text) && BigInt(text) <= lastId);

const platformAndId = [platformName, postId] as const;
/** Optional third element: `uriHash`, which orders posts in the same millisecond. */
const position = z.codec(
  z.union([
    z.tuple(platformAndId),
    z.tuple([...platformAndId, z.string().regex(/^[0-9a-f]{32}$/)]),
  ]),
  z.custom<Position>(),
  {
    decode: ([platform, id, uriHash]) => ({
      platform,
      id: BigInt(id),
      ...(uriHash !== undefined && { uriHash }),
    }),
    encode: ({ platform, id, uriHash }): [Platform, string] | [Platform, string, string] =>
      uriHash === undefined ? [platform, `${id}`] : [platform, `${id}`, uriHash],
  },
);

const ms = z.int().min(-8_640_000_000_000_000).max(8_640_000_000_000_000);
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

/** Only the gateway knows `nodeId`. */
const fetchPosition: z.ZodType<Omit<FetchPosition, "nodeId">> = z.object({
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
  place: fetchPosition.nullable(),
  maxResults: z.int().min(1).max(1_000),
});

const span = { fromMs: ms.nullable(), toMs: ms };

/** Ordered, disjoint, non-empty; only the first may be unbounded. */
const spans = z
  .array(z.object(span))
  .max(10_000)
  .refine((all) =>
    all.every(({ fromMs, toMs }, index) =>
      fromMs === null ? index === 0 : fromMs < toMs && (all[index - 1]?.toMs ?? fromMs) <= fromMs,
    ),
  );

const isConsistent = ({ complete, gaps }: { complete: boolean; gaps: readonly unknown[] }) =>
  complete === (gaps.length === 0);

const collections = z
  .array(
    z
      .object({
        platform: platformName,
        collection: z.enum(["posts", "likes", "reposts", "labels"]),
        complete: z.boolean(),
        held: spans,
        gaps: spans,
        truncated: z.boolean(),
      })
      .refine(isConsistent),
  )
  .max(platforms.length * 4)
  .refine(
    (all) =>
      new Set(all.map(({ platform, collection }) => `${platform} ${collection}`)).size ===
      all.length,
  );

const coverage = z
  .object({
    ...span,
    complete: z.boolean(),
    gaps: spans,
    truncated: z.boolean().exactOptional(),
    platforms: collections.exactOptional(),
  })
  .refine(isConsistent);

const units = z.number().min(0).max(1_000_000);
const microUsd = z.number().min(0).max(1_000_000_000);
const monthUnits = z.number().min(0).max(1_000_000_000_000);

const sourcePart = z
  .object({
    platform: platformName,
    via: z.enum(accessMethods),
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
            maxPostReads: monthUnits,
          })
          .nullable(),
      })
      .exactOptional(),
  })
  .refine(({ via, cost }) => cost === undefined || via === "api" || via === "credential");

const warning = z.object({
  code: z.string().regex(/^[a-z0-9_]{1,64}$/),
  message: z.string().max(4_096),
  offset: z.int().min(0).exactOptional(),
  length: z.int().min(0).exactOptional(),
  hint: z.string().max(4_096).exactOptional(),
});

export const knowledgeShape = z
  .object({
    next: position.nullable(),
    nextPlace: fetchPosition.nullable(),
    complete: z.boolean(),
    coverage,
    sources: z.array(sourcePart).max(1_000),
    warnings: z.array(warning).max(1_000),
  })
  .refine(({ complete, coverage }) => !complete || coverage.complete);

export const failureShape = z.strictObject({
  code: z.string().regex(/^[a-z0-9_]{1,64}$/),
  message: z.string().min(1).max(4_096),
  status: z.int().min(400).max(599),
  retryable: z.boolean(),
  hint: z.string().max(4_096).exactOptional(),
});
