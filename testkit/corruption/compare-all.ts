import type { Archive } from "../../src/archive/archive.ts";
import { EarshotError, errorMessage } from "../../src/lib/errors.ts";
import type { Answer, TrialQuery } from "./queries.ts";

/**
 * - `correct`: complete and equal to the healthy archive.
 * - `partial`: incomplete, with correct values.
 * - `altered`: incomplete, with wrong values.
 * - `refused`: an error with a code.
 * - `failed`: another error.
 * - `wrong`: complete and different.
 * - `endless`: no answer within a minute.
 */
type Outcome = "correct" | "partial" | "altered" | "refused" | "failed" | "wrong" | "endless";

export type ComparedQuery = { query: TrialQuery } & ComparedAnswer;

type ComparedAnswer = {
  outcome: Outcome;
  differences: number;
  detail: string;
};

const timeoutMs = 60_000;

export async function compareAll(
  archive: Archive,
  truth: ReadonlyMap<TrialQuery, Answer>,
): Promise<ComparedQuery[]> {
  const results: ComparedQuery[] = [];
  for (const [query, expected] of truth) {
    const compared = await queryOutcome(query, archive, expected);
    results.push({ query, ...compared });
    if (compared.outcome === "endless") break;
  }
  return results;
}

async function queryOutcome(
  query: TrialQuery,
  archive: Archive,
  expected: Answer,
): Promise<ComparedAnswer> {
  const allMissing = { differences: expected.values.size };
  try {
    const answer = await withTimeout(timeoutMs, query.answer(archive));
    if (answer === null) return { outcome: "endless", ...allMissing, detail: "" };
    return compare(answer, expected);
  } catch (error) {
    if (error instanceof EarshotError) {
      return { outcome: "refused", ...allMissing, detail: `${error.code}: ${error.message}` };
    }
    return { outcome: "failed", ...allMissing, detail: errorMessage(error) };
  }
}

function compare(answer: Answer, expected: Answer): ComparedAnswer {
  const missingKeys = [...expected.values.keys()].filter((key) => !answer.values.has(key));
  const extraKeys = [...answer.values.keys()].filter((key) => !expected.values.has(key));
  const changedValues = [...answer.values].filter(
    ([key, value]) => expected.values.has(key) && expected.values.get(key) !== value,
  );
  const detail = `${missingKeys.length} missing, ${extraKeys.length} extra, ${changedValues.length} different, of ${expected.values.size}`;
  const differences = missingKeys.length + extraKeys.length + changedValues.length;
  if (answer.complete) {
    return { outcome: differences === 0 ? "correct" : "wrong", differences, detail };
  }
  // A partial count is a smaller number.
  const isCount = [...expected.values.values()].every((value) => /^\d+$/.test(value));
  const isAltered = isCount
    ? changedValues.some(([key, value]) => Number(value) > Number(expected.values.get(key)))
    : extraKeys.length + changedValues.length > 0;
  return { outcome: isAltered ? "altered" : "partial", differences, detail };
}

/** Returns null on timeout. */
async function withTimeout<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
