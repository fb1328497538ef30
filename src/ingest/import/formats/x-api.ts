import { asFields, isObject } from "../../../platforms/fields.ts";
import { isIdentityError } from "../../../platforms/identity.ts";
import { xIdentity } from "../../../platforms/x/description.ts";
import { type Includes, readIncludes } from "../../../platforms/x/includes.ts";
import { isPostWithheld, readXPost, withOriginal } from "../../../platforms/x/read-post.ts";
import type { Post } from "../../../posts/post.ts";
import type { JsonValue } from "../json-values.ts";
import { parseJsonLine } from "../lines.ts";
import { RecordError, unexpectedField } from "../record.ts";
import {
  type FileRecord,
  type ReadContext,
  type RecordLimits,
  type RecordsFormat,
  refusedRecord,
} from "./format.ts";
import { isPadding, jsonValues, tooLongRecord, withoutLineBreaks } from "./json-records.ts";

/** 500 posts with all includes take about 2 MB. */
const minPageBytes = 4 * 1024 ** 2;

/** Responses of API v2, `{data, includes}`: one per line, concatenated, or in a list. */
export const xApiFormat: RecordsFormat = {
  key: "x-api",
  records: async function* (source, { limits }) {
    const maxValueBytes = Math.max(limits.maxLineBytes, minPageBytes);
    const pageLimits = { ...limits, maxLineBytes: maxValueBytes };
    let posts = 0;

    function* readRecords(values: Iterable<JsonValue>): Generator<FileRecord> {
      for (const value of values) {
        if (isPadding(value, null)) continue;
        for (const record of readPageRecords(value, pageLimits, posts)) {
          posts = record.number;
          yield record;
        }
      }
    }

    const options = { maxValueBytes, listName: null };
    const files = await source.files(/\.(?:ndjson|jsonl?)$/i);
    for await (const values of jsonValues(source, files, options)) yield readRecords(values);
  },
};

function* readPageRecords(
  value: JsonValue,
  { maxLineBytes, maxDepth }: RecordLimits,
  precedingRecords: number,
): Generator<FileRecord> {
  if (value.isTooLong) {
    yield tooLongRecord(value, precedingRecords + 1, maxLineBytes);
    return;
  }
  const page = readPage(value.bytes, maxDepth);
  if (page instanceof RecordError) {
    yield refusedRecord(
      { number: precedingRecords + 1, bytes: withoutLineBreaks(value.bytes) },
      page.message,
    );
    return;
  }
  const size = Math.ceil(value.bytes.length / Math.max(1, page.items.length));
  for (const [index, item] of page.items.entries()) {
    yield {
      number: precedingRecords + index + 1,
      endOffset: 0,
      size,
      raw: () => Buffer.from(JSON.stringify(makePage(item, page.includes))),
      head: null,
      read: (context) => readItem(item, page.includes, context),
    };
  }
}

type Page = { items: readonly unknown[]; includes: Includes };

function readPage(bytes: Buffer, maxDepth: number): Page | RecordError {
  try {
    const page = parseJsonLine(bytes, maxDepth);
    const { data, includes, meta, errors } = asFields(page);
    const parsedIncludes = readIncludes(includes);
    if (Array.isArray(data)) return { items: data, includes: parsedIncludes };
    if (isObject(data)) return { items: [data], includes: parsedIncludes };
    if (data === undefined && (isObject(meta) || Array.isArray(errors))) {
      return { items: [], includes: parsedIncludes };
    }
    return new RecordError("expected an API response, an object with data");
  } catch (error) {
    if (error instanceof RecordError) return error;
    throw error;
  }
}

function makePage(item: unknown, { users }: Includes): unknown {
  const { author_id: author } = asFields(item);
  const user = typeof author === "string" ? users.get(author) : undefined;
  return { data: [item], ...(user === undefined ? {} : { includes: { users: [user] } }) };
}

function readItem(item: unknown, includes: Includes, context: ReadContext): Post | null {
  const { id, author_id: author } = asFields(item);
  if (isPostWithheld(item)) {
    context.onSkipped("withheld by X");
    return null;
  }
  const post = readXPost(item, includes);
  if (post === null) {
    throw new RecordError(
      `expected a post with id, author_id and created_at, found ${isObject(item) ? `the fields ${Object.keys(item).slice(0, 20).join(", ")}` : "none"}`,
    );
  }
  const postLabel = `post ${String(id)}`;
  if (post.username === "") {
    throw new RecordError(
      `${postLabel}: includes.users does not contain its author ${String(author)} (the request needs expansions=author_id)`,
    );
  }
  const identity = xIdentity.identify({
    id: String(id),
    uri: null,
    url: null,
    author: post.username,
    authorId: post.userId,
    nowMs: context.nowMs,
  });
  if (isIdentityError(identity))
    throw unexpectedField(identity.field, identity.expected, identity.found);
  return { ...withIncludedOriginal(post, includes), origin: "import" };
}

function withIncludedOriginal(post: Post, includes: Includes): Post {
  const includedPost = includes.posts.get(post.reposted?.id ?? "");
  const original = includedPost === undefined ? null : readXPost(includedPost, includes);
  return original === null ? post : withOriginal(post, original);
}
