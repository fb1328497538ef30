import { setImmediate } from "node:timers/promises";
import type { QueryNode } from "@earshot/query/tree";
import type { Position } from "../../archive/archive.ts";
import { comparePositions, isSameMillisecond } from "../../archive/read/search.ts";
import { type FetchMethod, isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest, FetchedItem } from "../../platforms/source.ts";
import { uriHash } from "../../posts/ids.ts";
import { parseSearchQuery } from "../../search/parse-search-query.ts";
import { checkCoverage, isRequested, otherPlatform } from "./check-coverage.ts";
import { couldMatch, possibleTimes } from "./could-match.ts";
import { answerRefused } from "./errors.ts";
import type { ParsedRecord, RecordKind } from "./read-record.ts";
import type { Knowledge } from "./texts.ts";

/**
 * Checks plausibility, not truth: platforms, kinds, duplicates, continuation and coverage; for a
 * search also order, window and matches, as far as the records show them.
 */
export async function checkAnswer(
  request: AnswerRequest,
  records: readonly ParsedRecord[],
  knowledge: Knowledge,
): Promise<void> {
  if (records.length > request.maxResults) {
    throw answerRefused("too_many_items", `the answer has more than ${request.maxResults} records`);
  }
  const check = createRecordCheck(request);
  const yieldAfter = createYield();
  const seenNames = new Set<string>();
  for (const record of records) {
    check(record);
    await yieldAfter(record.item.record.length);
    const names = getNames(record);
    if (names.some((name) => seenNames.has(name))) {
      throw answerRefused("repeated_item", "the answer repeats a record");
    }
    for (const name of names) seenNames.add(name);
  }
  if (isSearch(request.method)) checkOrder(request, records);
  checkContinuation(request, records, knowledge);
  if (knowledge.sources.some(({ platform }) => !isRequested(request, platform))) {
    throw otherPlatform();
  }
  checkCoverage(request, knowledge.coverage);
}

export function createRecordCheck(request: AnswerRequest): (record: ParsedRecord) => void {
  const { method, fromMs, toMs, asOfMs, target = null } = request;
  let tree: QueryNode | null = null;

  function checkSearchRecord(record: ParsedRecord): void {
    const { item, createdMs } = record;
    if (item.id === null) {
      throw answerRefused("not_a_post", "a search returned a record that is not a post");
    }
    const { earliestMs, latestMs } = possibleTimes(item.id, createdMs);
    if (earliestMs >= toMs || (fromMs !== null && latestMs < fromMs)) {
      throw answerRefused("outside_window", "a post is outside the requested window");
    }
    tree ??= parseSearchQuery(request.query, { maxLength: Number.POSITIVE_INFINITY }).tree;
    if (!couldMatch(tree, asOfMs, item.id, record)) throw notAMatch();
  }

  function checkFetchedRecord({ item, kind }: ParsedRecord, expectedKind: RecordKind): void {
    if (kind !== expectedKind) {
      throw answerRefused("other_kind", `${method} returned a ${kind}`);
    }
    const uri = method === "getbyid" && target?.kind === "post" ? target.uri : null;
    // A Mastodon post's address and uri may differ.
    if (uri !== null && item.platform !== "mastodon" && item.uri !== uri) throw notAMatch();
  }

  return (record) => {
    if (!isRequested(request, record.item.platform)) throw otherPlatform();
    if (isSearch(method)) checkSearchRecord(record);
    else checkFetchedRecord(record, methodKinds[method]);
  };
}

const sliceLength = 131_072;

export function createYield(): (length: number) => Promise<void> {
  let processedLength = 0;
  return async (length) => {
    processedLength += length;
    if (processedLength < sliceLength) return;
    processedLength = 0;
    await setImmediate();
  };
}

function getNames({ item: { platform, id, uri }, name }: ParsedRecord): readonly string[] {
  const idName = `${platform} ${id === null} ${name}`;
  return uri === null ? [idName] : [idName, `${platform} uri ${uri}`];
}

function checkOrder({ after }: AnswerRequest, records: readonly ParsedRecord[]): void {
  let previousPosition: Position | null = null;
  for (const { item } of records) {
    const position = itemPosition(item);
    if (position === null) continue;
    if (previousPosition === null && after !== null && !isAfter(after, position, item.uri)) {
      throw answerRefused("before_its_page", "a record belongs on an earlier page");
    }
    if (previousPosition !== null && comparePositions(previousPosition, position) >= 0) {
      throw answerRefused("out_of_order", "the records of a search are not newest first");
    }
    previousPosition = position;
  }
}

const itemPosition = ({ platform, id }: FetchedItem): Position | null =>
  id === null ? null : { platform, id };

/** A node with old segments does not know the order of `uriHash`. */
function isAfter(after: Position, post: Position, uri: string | null): boolean {
  if (after.uriHash === undefined || uri === null || !isSameMillisecond(after, post)) {
    return comparePositions(after, post) < 0;
  }
  return uriHash(uri) !== after.uriHash;
}

function checkContinuation(
  { after, method, platform }: AnswerRequest,
  records: readonly ParsedRecord[],
  { next, nextPosition = null }: Knowledge,
): void {
  const lastRecord = records.at(-1);
  const lastPosition = lastRecord === undefined ? null : itemPosition(lastRecord.item);
  const isBefore = (position: Position | null): boolean =>
    next !== null && position !== null && comparePositions(next, position) < 0;
  const isTie = next !== null && after !== null && isSameMillisecond(next, after);
  if (isBefore(lastPosition) || (!isTie && isBefore(after))) {
    throw answerRefused("next_misplaced", "the cursor is before the end of the page");
  }
  if (nextPosition !== null && (isSearch(method) || nextPosition.platform !== platform)) {
    throw otherPlatform();
  }
}

const notAMatch = () => answerRefused("not_a_match", "a record does not match the query");

const methodKinds: Readonly<Record<FetchMethod, RecordKind>> = {
  searchbyprofile: "profile",
  getbyid: "post",
  getreplies: "post",
  getretweeters: "profile",
  gettweets: "post",
  getmedia: "post",
  gethometweets: "post",
  getforyoutweets: "post",
  getprofilebyid: "profile",
  gettrends: "trend",
  getfollowing: "profile",
  getfollowers: "profile",
  getspace: "space",
};
