import type { Archive } from "../../src/archive/archive.ts";
import { EarshotError, messageOf } from "../../src/lib/errors.ts";
import type { Answer, TrialQuery } from "./queries.ts";

/**
 * - `correct`: complete and equal to the healthy archive.
 * - `partial`: incomplete and right.
 * - `altered`: incomplete, with wrong values.
 * - `refused`: an error with a code.
 * - `failed`: another error.
 * - `wrong`: complete and different.
 * - `endless`: no answer within a minute.
 */
type Outcome = "correct" | "partial" | "altered" | "refused" | "failed" | "wrong" | "endless";

export type ComparedQuery = { query: TrialQuery } & Compared;

type Compared = {
  outcome: Outcome;
  differences: number;
  detail: string;
};

const timeoutMs = 60_000;

export async function compareAll(
  archive: Archive,
  truth: ReadonlyMap<TrialQuery, Answer>,
): Promise<ComparedQuery[]> {
  const all: ComparedQuery[] = [];
  for (const [query, right] of truth) {
    const compared = await outcomeOf(query, archive, right);
    all.push({ query, ...compared });
    if (compared.outcome === "endless") break;
  }
  return all;
}

async function outcomeOf(query: TrialQuery, archive: Archive, right: Answer): Promise<Compared> {
  const none = { differences: right.values.size };
  try {
    const answer = await within(timeoutMs, query.answer(archive));
    if (answer === null) return { outcome: "endless", ...none, detail: "" };
    return compare(answer, right);
  } catch (error) {
    if (error instanceof EarshotError) {
      return { outcome: "refused", ...none, detail: `${error.code}: ${error.message}` };
    }
    return { outcome: "failed", ...none, detail: messageOf(error) };
  }
}

function compare(answer: Answer, right: Answer): Compared {
  const missing = [...right.values.keys()].filter((key) => !answer.values.has(key));
  const extra = [...answer.values.keys()].filter((key) => !right.values.has(key));
  const changed = [...answer.values].filter(
    ([key, value]) => right.values.has(key) && right.values.get(key) !== value,
  );
  const detail = `lacks ${missing.length}, has ${extra.length} more, ${changed.length} differ, of ${right.values.size}`;
  const differences = missing.length + extra.length + changed.length;
  if (answer.complete) {
    return { outcome: differences === 0 ? "correct" : "wrong", differences, detail };
  }
  // A partial count is a smaller number.
  const isCount = [...right.values.values()].every((value) => /^\d+$/.test(value));
  const isAltered = isCount
    ? changed.some(([key, value]) => Number(value) > Number(right.values.get(key)))
    : extra.length + changed.length > 0;
  return { outcome: isAltered ? "altered" : "partial", differences, detail };
}

/** Null on timeout. */
async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | null> {
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
