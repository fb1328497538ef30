import type { Statement } from "../statements.ts";
import { isErrorOfOneCall } from "./errors.ts";
import type { Pool } from "./pool.ts";

/**
 * A statement with the same for several calls; `list` has their parameters as `:calls`, the JSON texts in `result` as
 * `:results`, and its rows name the `call`. A single call is a list of one if both are equal.
 */
export type ListedStatement = Statement & { list: string };

export type Send = (statement: Statement) => Promise<unknown>;

type Waiting = {
  statement: ListedStatement;
  resolve: (row: unknown) => void;
  reject: (error: unknown) => void;
};

type ListedRow = { call: number };

const longestList = 64;

const queues = new WeakMap<Pool, Map<string, ListQueue>>();

/**
 * Sends calls of one tick, and those that wait for earlier ones, as one statement: most of the time of a short statement is
 * its start and its commit.
 */
export function answerListed(pool: Pool, statement: ListedStatement, send: Send): Promise<unknown> {
  const ofPool = queues.get(pool) ?? new Map<string, ListQueue>();
  queues.set(pool, ofPool);
  const queue = ofPool.get(statement.list) ?? new ListQueue(send);
  ofPool.set(statement.list, queue);
  return new Promise((resolve, reject) => queue.add({ statement, resolve, reject }));
}

class ListQueue {
  readonly #send: Send;
  #waiting: Waiting[] = [];
  #isRunning = false;

  constructor(send: Send) {
    this.#send = send;
  }

  add(call: Waiting): void {
    this.#waiting.push(call);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#answer(this.#waiting.splice(0, longestList));
    this.#isRunning = false;
  }

  async #answer(calls: readonly Waiting[]): Promise<void> {
    const [first] = calls;
    if (first === undefined) return;
    if (calls.length === 1) return await this.#answerAlone(first);
    try {
      const statement = listOf(first.statement.list, calls);
      const rows = (await this.#send(statement)) as readonly ListedRow[];
      const byCall = new Map(rows.map((row) => [row.call, row]));
      for (const [index, { resolve }] of calls.entries()) resolve(byCall.get(index));
    } catch (error) {
      if (!isErrorOfOneCall(error)) for (const { reject } of calls) reject(error);
      else await Promise.all(calls.map((call) => this.#answerAlone(call)));
    }
  }

  async #answerAlone(call: Waiting): Promise<void> {
    const { statement, resolve, reject } = call;
    const { kind, sql, list } = statement;
    const single = sql === list ? { ...listOf(list, [call]), kind } : statement;
    await this.#send(single).then(resolve, reject);
  }
}

function listOf(sql: string, calls: readonly Waiting[]): Statement {
  const results: unknown[] = [];
  const listed = calls.map(({ statement: { parameters } }, call) => {
    const { result = "", ...others } = parameters;
    results.push(result);
    return { ...others, call };
  });
  const parameters = { calls: jsonText(listed), results: results.join(resultSeparator) };
  return { kind: "all", sql, parameters };
}

/** Never in JSON. */
const resultSeparator = "\u0001";

/** Same limits as the pool's parameters: whole numbers, texts without NUL or lone surrogates. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (!unsendable.test(text)) return text;
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === "number") return Math.round(part);
    return typeof part === "string" ? part.toWellFormed().replaceAll("\0", "\u{fffd}") : part;
  });
}

/** Also matches within texts, which does no harm. */
const unsendable = /\\u(?:0000|d[89a-f])|\d\.\d/;
