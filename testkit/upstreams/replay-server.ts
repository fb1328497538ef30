import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { zstdCompressSync } from "node:zlib";
import { encode } from "@atcute/cbor";

/** `payload` becomes CBOR. */
export type ArchivedRow = {
  seq: number;
  witnessedUs: number;
  indexedUs?: number;
  kind: number;
  did: string;
  collection?: string;
  rkey?: string;
  rev?: string;
  payload?: unknown;
};

/** An emulator based on Jetstream's lexicons and docs/README.md 3.2. */
export type ReplayServer = {
  url: string;
  segments: ArchivedRow[][][];
  token: string | null;
  entriesPerPage: number;
  requests: string[];
  /** Plans list blocks instead of segments. */
  hasBlockPlans: boolean;
  /** Returns true if it sends the response. */
  intercept: (method: string, response: ServerResponse) => boolean;
  close(): Promise<void>;
};

export async function startReplayServer(): Promise<ReplayServer> {
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const replay: ReplayServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    segments: [],
    token: null,
    entriesPerPage: 100,
    requests: [],
    hasBlockPlans: false,
    intercept: () => false,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };

  const formatName = (index: number): string => `seg_${String(index).padStart(10, "0")}.jss`;

  const makeInfo = (index: number) => {
    const rows = (replay.segments[index] ?? []).flat();
    const listValues = (pick: (row: ArchivedRow) => number) => rows.map(pick);
    return {
      name: formatName(index),
      index,
      minSeq: Math.min(...listValues(({ seq }) => seq)),
      maxSeq: Math.max(...listValues(({ seq }) => seq)),
      minWitnessedAt: Math.min(...listValues(({ witnessedUs }) => witnessedUs)),
      maxWitnessedAt: Math.max(...listValues(({ witnessedUs }) => witnessedUs)),
    };
  };

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", replay.url);
    const method = url.pathname.replace("/xrpc/network.bsky.jetstream.", "");
    replay.requests.push(`${method}${url.search}`);
    if (replay.intercept(method, response)) return;
    if (replay.token !== null && request.headers.authorization !== `Bearer ${replay.token}`) {
      send(response, { error: "AuthRequired", message: "no token" }, 401);
      return;
    }
    if (method === "listSegments") {
      const from = Number(url.searchParams.get("cursor") ?? 0);
      const infos = replay.segments.map((_segment, index) => makeInfo(index)).slice(from, from + 2);
      const cursor = from + 2 < replay.segments.length ? { cursor: String(from + 2) } : {};
      send(response, { segments: infos, ...cursor });
      return;
    }
    if (method === "planSnapshot") {
      send(response, plan(JSON.parse(await text(request))));
      return;
    }
    const index = replay.segments.findIndex(
      (_segment, position) => formatName(position) === url.searchParams.get("segment"),
    );
    const block = replay.segments[index]?.[Number(url.searchParams.get("blockIndex"))];
    if (block === undefined) send(response, { error: "BlockNotFound", message: "not there" }, 404);
    else response.writeHead(200).end(zstdCompressSync(blockBytes(block)));
  }

  function plan({ afterSeq = 0, beforeSeq = Number.MAX_SAFE_INTEGER }) {
    const infos = replay.segments.map((_segment, index) => makeInfo(index));
    const sealedTipSeq = Math.min(beforeSeq, Math.max(0, ...infos.map(({ maxSeq }) => maxSeq)));
    const matching = infos.filter(({ minSeq, maxSeq }) => maxSeq > afterSeq && minSeq <= beforeSeq);
    const page = matching.slice(0, replay.entriesPerPage).map((info) => {
      const last = (replay.segments[info.index]?.length ?? 1) - 1;
      return replay.hasBlockPlans
        ? { ...info, mode: "blocks", blocks: [{ first: 0, last }] }
        : { ...info, mode: "segment" };
    });
    const isComplete = page.length === matching.length;
    const plannedThroughSeq = isComplete ? sealedTipSeq : (page.at(-1)?.maxSeq ?? sealedTipSeq);
    return { plannedThroughSeq, sealedTipSeq, segments: page, stats: {} };
  }

  return replay;
}

function send(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A block in the server's layout. */
export function blockBytes(rows: readonly ArchivedRow[]): Buffer {
  const payloads = rows.map(({ payload }) =>
    payload === undefined ? Buffer.alloc(0) : Buffer.from(encode(payload)),
  );
  const column = (bytes: number, write: (cell: Buffer, row: ArchivedRow, offset: number) => void) =>
    rows.map((row, index) => {
      const cell = Buffer.alloc(bytes);
      write(cell, row, index);
      return cell;
    });
  const count = Buffer.alloc(4);
  count.writeUInt32LE(rows.length);
  return Buffer.concat([
    count,
    ...column(8, (cell, { seq }) => cell.writeBigUInt64LE(BigInt(seq))),
    ...column(8, (cell, { witnessedUs }) => cell.writeBigInt64LE(BigInt(witnessedUs))),
    ...column(8, (cell, { indexedUs = 0 }) => cell.writeBigInt64LE(BigInt(indexedUs))),
    ...column(1, (cell, { kind }) => cell.writeUInt8(kind)),
    ...column(1, (cell, { collection = "" }) => cell.writeUInt8(collection.length)),
    ...column(2, (cell, { did }) => cell.writeUInt16LE(did.length)),
    ...column(1, (cell, { rkey = "" }) => cell.writeUInt8(rkey.length)),
    ...column(1, (cell, { rev = "" }) => cell.writeUInt8(rev.length)),
    ...column(4, (cell, _row, at) => cell.writeUInt32LE(payloads[at]?.length ?? 0)),
    ...rows.map(({ collection = "" }) => Buffer.from(collection)),
    ...rows.map(({ did }) => Buffer.from(did)),
    ...rows.map(({ rkey = "" }) => Buffer.from(rkey)),
    ...rows.map(({ rev = "" }) => Buffer.from(rev)),
    ...payloads,
  ]);
}
