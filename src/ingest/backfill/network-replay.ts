import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type { FetchOptions } from "../../lib/guarded-fetch.ts";
import type { BoundedSpan } from "../../lib/spans.ts";
import { type Refusal, readRefusal, refusalError, xrpcUrl } from "../../platforms/bluesky/xrpc.ts";
import { asFields, list, string } from "../../platforms/fields.ts";
import type { PoliteFetch } from "./polite-fetch.ts";

export type NetworkReplay = {
  /** The span of the archive in server time; null if it is empty. */
  archiveSpan(): Promise<BoundedSpan | null>;
  /**
   * Yields decompressed blocks in order. Errors: `replay_refused` if the token is missing or
   * rejected; `replay_unreadable`; `upstream_refused`.
   */
  blocks(span: BoundedSpan, collections: readonly string[]): AsyncGenerator<Uint8Array>;
};

type Segment = { name: string; minSeq: number; maxSeq: number; fromMs: number; toMs: number };
type PlannedSegment = { name: string; ranges: readonly { first: number; last: number }[] | null };

const segmentsPerPage = 1_000;
/** Guards against a listing that never ends. */
const maxPages = 10_000;
const maxEntries = 1_000_000;
const maxBlockBytes = 256 * 1024 ** 2;
const decompress = promisify(zstdDecompress);

export function openNetworkReplay(
  fetch: PoliteFetch,
  { url, token }: { url: string; token: string | null },
): NetworkReplay {
  const { host } = new URL(url);
  const options: FetchOptions =
    token === null ? {} : { headers: { authorization: `Bearer ${token}` } };
  let cachedSegments: readonly Segment[] | null = null;

  async function segments(): Promise<readonly Segment[]> {
    if (cachedSegments !== null) return cachedSegments;
    const unsortedSegments: Segment[] = [];
    let cursor: string | null = null;
    for (let page = 0; ; page += 1) {
      if (page === maxPages) {
        throw unreadableReplay(host, `its list of segments has more than ${maxPages} pages`);
      }
      const parameters = cursor === null ? {} : { cursor };
      const method = "network.bsky.jetstream.listSegments";
      const response = await fetch.get(
        xrpcUrl(url, method, { limit: segmentsPerPage, ...parameters }),
        options,
      );
      if (response.status !== 200) throw replayRefused(readRefusal(response));
      const { segments: items, cursor: next } = asFields(response.json());
      unsortedSegments.push(...list(items, segmentsPerPage).flatMap(readSegment));
      cursor = string(next, 1_000);
      if (cursor === null || cursor === "") break;
    }
    cachedSegments = unsortedSegments.toSorted((a, b) => a.minSeq - b.minSeq);
    return cachedSegments;
  }

  async function archiveSpan(): Promise<BoundedSpan | null> {
    const allSegments = await segments();
    const first = allSegments[0];
    if (first === undefined) return null;
    return { fromMs: first.fromMs, toMs: Math.max(...allSegments.map(({ toMs }) => toMs)) };
  }

  async function* blocks(
    span: BoundedSpan,
    collections: readonly string[],
  ): AsyncGenerator<Uint8Array> {
    const matchingSegments = (await segments()).filter(
      ({ fromMs, toMs }) => fromMs < span.toMs && toMs > span.fromMs,
    );
    const first = matchingSegments[0];
    const last = matchingSegments.at(-1);
    if (first === undefined || last === undefined) return;
    for await (const { name, ranges } of plan(first.minSeq - 1, last.maxSeq, collections)) {
      for (const { first: from, last: to } of ranges ?? [{ first: 0, last: maxEntries }]) {
        for (let index = from; index <= to; index += 1) {
          const block = await readBlock(name, index);
          if (block === null && ranges === null) break;
          if (block === null) throw unreadableReplay(host, `block ${index} of ${name} is missing`);
          yield block;
        }
      }
    }
  }

  async function* plan(
    afterSeq: number,
    lastSeq: number,
    collections: readonly string[],
  ): AsyncGenerator<PlannedSegment> {
    let position = Math.max(0, afterSeq);
    for (let page = 0; position < lastSeq; page += 1) {
      if (page === maxPages) {
        throw unreadableReplay(host, `its plan has more than ${maxPages} pages`);
      }
      const planRequest = { collections, afterSeq: position, beforeSeq: lastSeq };
      const methodUrl = xrpcUrl(url, "network.bsky.jetstream.planSnapshot", {});
      const response = await fetch.post(methodUrl, planRequest, options);
      if (response.status !== 200) throw replayRefused(readRefusal(response));
      const { segments: items, plannedThroughSeq, sealedTipSeq } = asFields(response.json());
      for (const item of list(items, maxEntries)) yield readPlannedSegment(item, host);
      const plannedSeq = Number(plannedThroughSeq);
      if (!Number.isSafeInteger(plannedSeq) || plannedSeq <= position) {
        if (plannedSeq === position || position >= Number(sealedTipSeq)) return;
        throw unreadableReplay(host, "its plan does not advance");
      }
      position = plannedSeq;
      if (position >= Number(sealedTipSeq)) return;
    }
  }

  async function readBlock(segment: string, blockIndex: number): Promise<Uint8Array | null> {
    const methodUrl = xrpcUrl(url, "network.bsky.jetstream.getBlock", { segment, blockIndex });
    const response = await fetch.get(methodUrl, { ...options, maxBytes: maxBlockBytes });
    if (response.status !== 200) {
      const refusal = readRefusal(response);
      if (refusal.error === "BlockNotFound") return null;
      throw replayRefused(refusal);
    }
    try {
      return await decompress(response.body, { maxOutputLength: maxBlockBytes });
    } catch (error) {
      throw unreadableReplay(host, `block ${blockIndex} of ${segment}: ${errorMessage(error)}`);
    }
  }

  function replayRefused(refusal: Refusal): EarshotError {
    if (refusal.status !== 401 && refusal.status !== 403) return refusalError(host, refusal);
    const reason = token === null ? "requires a token" : "rejects EARSHOT_NETWORK_REPLAY_TOKEN";
    return new EarshotError("replay_refused", `${host} ${reason}`, {
      status: 502,
      hint: "get a token at https://bsky.network/account, and set EARSHOT_NETWORK_REPLAY_TOKEN",
    });
  }

  return { archiveSpan, blocks };
}

function readSegment(value: unknown): Segment[] {
  const { name, minSeq, maxSeq, minWitnessedAt, maxWitnessedAt } = asFields(value);
  const bounds = [minSeq, maxSeq, minWitnessedAt, maxWitnessedAt];
  if (typeof name !== "string" || !bounds.every(Number.isSafeInteger)) return [];
  return [
    {
      name,
      minSeq: Number(minSeq),
      maxSeq: Number(maxSeq),
      fromMs: Math.floor(Number(minWitnessedAt) / 1_000),
      toMs: Math.floor(Number(maxWitnessedAt) / 1_000) + 1,
    },
  ];
}

function readPlannedSegment(value: unknown, host: string): PlannedSegment {
  const { name, mode, blocks } = asFields(value);
  if (typeof name !== "string") throw unreadableReplay(host, "a segment of its plan has no name");
  if (mode !== "blocks") return { name, ranges: null };
  const ranges = list(blocks, maxEntries).map((range) => {
    const { first, last } = asFields(range);
    return { first: Number(first), last: Number(last) };
  });
  const isValid = ranges.every(
    ({ first, last }) => first >= 0 && last >= first && last < maxEntries,
  );
  if (!isValid) throw unreadableReplay(host, "a segment of its plan has invalid block ranges");
  return { name, ranges };
}

export function unreadableReplay(host: string, reason: string): EarshotError {
  return new EarshotError(
    "replay_unreadable",
    `invalid data in the archive of ${host}: ${reason}`,
    {
      status: 502,
    },
  );
}
