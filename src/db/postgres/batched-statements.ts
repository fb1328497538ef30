import type { Statement } from "../statements.ts";
import { affectsOneCall } from "./errors.ts";
import type { Pool } from "./pool.ts";

/**
 * `batchSql` takes the parameters of several calls as `:calls`, and the JSON texts in `result` as
 * `:results`; each of its rows contains the index of its `call`. If it equals `sql`, a single call
 * is sent as a batch.
 */
export type BatchableStatement = Statement & { batchSql: string };

export type Send = (statement: Statement) => Promise<unknown>;

type PendingCall = {
  statement: BatchableStatement;
  resolve: (row: unknown) => void;
  reject: (error: unknown) => void;
};

type BatchRow = { call: number };

const maxBatchSize = 64;

const queues = new WeakMap<Pool, Map<string, BatchQueue>>();

/**
 * Sends the calls made in one tick, or during an earlier batch, as one statement: a short statement
 * spends most of its time starting and committing.
 */
export function sendBatched(
  pool: Pool,
  statement: BatchableStatement,
  send: Send,
): Promise<unknown> {
  const poolQueues = queues.get(pool) ?? new Map<string, BatchQueue>();
  queues.set(pool, poolQueues);
  const queue = poolQueues.get(statement.batchSql) ?? new BatchQueue(send);
  poolQueues.set(statement.batchSql, queue);
  return new Promise((resolve, reject) => queue.add({ statement, resolve, reject }));
}

class BatchQueue {
  readonly #send: Send;
  #pendingCalls: PendingCall[] = [];
  #isRunning = false;

  constructor(send: Send) {
    this.#send = send;
  }

  add(call: PendingCall): void {
    this.#pendingCalls.push(call);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#pendingCalls.length > 0)
      await this.#sendBatch(this.#pendingCalls.splice(0, maxBatchSize));
    this.#isRunning = false;
  }

  async #sendBatch(calls: readonly PendingCall[]): Promise<void> {
    const [firstCall] = calls;
    if (firstCall === undefined) return;
    if (calls.length === 1) return await this.#sendAlone(firstCall);
    try {
      const statement = makeBatchStatement(firstCall.statement.batchSql, calls);
      const rows = (await this.#send(statement)) as readonly BatchRow[];
      const rowsByCall = new Map(rows.map((row) => [row.call, row]));
      for (const [index, { resolve }] of calls.entries()) resolve(rowsByCall.get(index));
    } catch (error) {
      if (!affectsOneCall(error)) for (const { reject } of calls) reject(error);
      else await Promise.all(calls.map((call) => this.#sendAlone(call)));
    }
  }

  async #sendAlone(call: PendingCall): Promise<void> {
    const { statement, resolve, reject } = call;
    const { kind, sql, batchSql } = statement;
    const singleStatement =
      sql === batchSql ? { ...makeBatchStatement(sql, [call]), kind } : statement;
    await this.#send(singleStatement).then(resolve, reject);
  }
}

function makeBatchStatement(sql: string, calls: readonly PendingCall[]): Statement {
  const results: unknown[] = [];
  const batch = calls.map(({ statement: { parameters } }, call) => {
    const { result = "", ...others } = parameters;
    results.push(result);
    return { ...others, call };
  });
  const parameters = { calls: jsonText(batch), results: results.join(resultSeparator) };
  return { kind: "all", sql, parameters };
}

/** JSON never contains this character unescaped. */
const resultSeparator = "\u0001";

/** Rounds numbers, and replaces NUL and lone surrogates, as the pool does. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!unsendablePattern.test(text)) return text;
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === "number") return Math.round(part);
    return typeof part === "string" ? part.toWellFormed().replaceAll("\0", "\u{fffd}") : part;
  });
}

/** May also match inside texts, which is harmless. */
const unsendablePattern = /\\u(?:0000|d[89a-f])|\d\.\d/;
