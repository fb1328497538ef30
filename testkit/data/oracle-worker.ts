import { parentPort, workerData } from "node:worker_threads";
import { all } from "@earshot/query/plan";
import type { Position } from "../../src/archive/archive.ts";
import { createReader } from "../../src/archive/threads/reader.ts";
import { analyzePost, compileOracle, type OracleContext } from "../../test/oracle/oracle.ts";
import { oraclePostOnX } from "./oracle-post.ts";

export type OracleTask = {
  folder: string;
  queries: readonly string[];
  context: OracleContext;
  part: number;
  parts: number;
};

/** `results`: for each query, the newest first, or the error. */
export type OracleFindings = { results: (BigUint64Array | string)[]; posts: number };

const postsPerPage = 1_000;

const { folder, queries, context, part, parts } = workerData as OracleTask;
const reader = createReader(folder, 8_000, { now: () => 0, elapsed: () => 0 });
const oracles = queries.map(compile);
const matches = queries.map((): bigint[] => []);
let posts = 0;
let after: Position | null = null;
let page = 0;
do {
  const answer = reader.operations.search({
    plan: all([]),
    platforms: ["x"],
    fromMs: null,
    toMs: null,
    after,
    limit: postsPerPage,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  if (page++ % parts === part) reader.operations.records(answer.positions).records.forEach(examine);
  after = answer.next;
} while (after !== null);
reader.close();
const findings: OracleFindings = {
  results: oracles.map((isFound, index) =>
    typeof isFound === "string" ? isFound : new BigUint64Array(matches[index] ?? []),
  ),
  posts,
};
parentPort?.postMessage(findings);

function compile(query: string): ReturnType<typeof compileOracle> | string {
  try {
    return compileOracle(query, context);
  } catch (error) {
    return String(error);
  }
}

function examine(text: string): void {
  const record = oraclePostOnX(text);
  const id = BigInt(record.ID);
  const post = analyzePost(record);
  posts += 1;
  for (const [index, isFound] of oracles.entries()) {
    if (typeof isFound !== "string" && isFound(post)) matches[index]?.push(id);
  }
}
