import postgres from "postgres";
import { expect, test } from "vitest";
import type { Statement } from "../statements.ts";
import { sendBatched } from "./batched-statements.ts";
import type { Pool } from "./pool.ts";

type Parameters = { name: string };

function rowsFor({ kind, parameters }: Statement): unknown {
  if (kind === "get") return { name: parameters.name };
  const calls: ({ call: number } & Parameters)[] = JSON.parse(String(parameters.calls));
  return calls.filter(({ name }) => name !== "absent").toReversed();
}

function makeCalls(execute: (statement: Statement) => unknown) {
  const pool = {} as Pool;
  const sent: Statement[] = [];
  const call = async (name: string): Promise<unknown> => {
    const statement = { kind: "get", sql: "one", parameters: { name }, batchSql: "many" } as const;
    return await sendBatched(pool, statement, async (each) => {
      sent.push(each);
      await new Promise(setImmediate);
      return execute(each);
    });
  };
  return { sent, call };
}

const names = ["a", "b", "absent", "c", "d", "e"];

test("PostgreSQL calls made in one tick are sent as one statement, and so are the calls that wait for it", async () => {
  const { sent, call } = makeCalls(rowsFor);
  const first = Promise.all(names.map(call));
  await new Promise(setImmediate);
  const rows = [...(await Promise.all(names.map(call))), ...(await first)];
  const found = rows.map((row) => (row as Parameters | undefined)?.name ?? "absent");
  expect(found).toEqual([...names, ...names]);
  expect(sent.map(({ sql }) => sql)).toEqual(["many", "many"]);
  await call("a");
  expect(sent.map(({ sql }) => sql)).toEqual(["many", "many", "one"]);
});

const duplicateError = Object.assign(new postgres.PostgresError("a duplicate"), { code: "23505" });
const closedError = Object.assign(new Error("closed"), { code: "CONNECTION_CLOSED" });

test("after an error in a batch, its calls are sent separately, because one of them may have caused it", async () => {
  const { sent, call } = makeCalls((statement) => {
    if (statement.kind === "all" || statement.parameters.name === "d") throw duplicateError;
    return rowsFor(statement);
  });
  const outcomes = await Promise.allSettled(names.map(call));
  expect(outcomes.map(({ status }) => status === "fulfilled")).toEqual(
    names.map((name) => name !== "d"),
  );
  expect(sent).toHaveLength(1 + names.length);
});

test("a batch of calls is not repeated when the connection fails, because it may have been committed", async () => {
  const { sent, call } = makeCalls((statement) => {
    if (statement.kind === "all") throw closedError;
    return rowsFor(statement);
  });
  const outcomes = await Promise.allSettled(names.map(call));
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(names.length);
  expect(sent).toHaveLength(1);
});

test("JSON texts are sent separately from the other parameters, even those of a single call", async () => {
  const pool = {} as Pool;
  const sent: Statement[] = [];
  const call = (name: string) =>
    sendBatched(
      pool,
      {
        kind: "get",
        sql: "many",
        batchSql: "many",
        parameters: { name, result: `{"of":"${name}"}` },
      },
      async (statement) => {
        sent.push(statement);
        return statement.kind === "get" ? { call: 0 } : [{ call: 1 }, { call: 0 }];
      },
    );
  await Promise.all([call("a"), call("b")]);
  expect(await call("c")).toEqual({ call: 0 });
  expect(sent.map(({ kind, parameters }) => [kind, parameters])).toEqual([
    [
      "all",
      {
        calls: '[{"name":"a","call":0},{"name":"b","call":1}]',
        results: '{"of":"a"}\u0001{"of":"b"}',
      },
    ],
    ["get", { calls: '[{"name":"c","call":0}]', results: '{"of":"c"}' }],
  ]);
});
