import { filterNode } from "./filter-node.ts";
import { notAvailable, substituteFor } from "./not-available.ts";
import { shown } from "./operand.ts";
import {
  filterOperatorNamed,
  type OperatorName,
  operatorNamed,
  unavailableNamed,
  unavailableOperators,
} from "./operators.ts";
import { leafReaders } from "./read-operand.ts";
import type { TermContext } from "./term-context.ts";
import type { QueryNode, Span } from "./tree.ts";

/** An operator as written: `span` covers all of it, `valueSpan` what stands after the colon, with its quotes. */
export type WrittenOperator = { name: string; value: string; span: Span; valueSpan: Span };

/** The node of an operator whose name belongs to the language, or null when it is faulty or has no effect. */
export function operatorNode(context: TermContext, written: WrittenOperator): QueryNode | null {
  const unavailable = unavailableNamed(written.name);
  if (unavailable !== null) {
    const substitute = substituteFor(unavailable, written.value);
    const row = unavailableOperators[unavailable];
    return notAvailable(context, written, `${written.name}:`, row, substitute);
  }
  if (written.value === "") return missingOperand(context, written);
  const name = operatorNamed(written.name);
  const list = listOfValues(name, written.value);
  if (list !== null) return oneValueOnly(context, written, list);
  const filter = filterOperatorNamed(written.name);
  if (filter !== null) return filterNode(context, written, filter);
  return name === null ? null : leafNode(context, written, name);
}

function leafNode(
  context: TermContext,
  written: WrittenOperator,
  name: OperatorName,
): QueryNode | null {
  const operand = leafReaders[name](written.name.toLowerCase(), written.value);
  const said = "fault" in operand ? operand.fault : operand.warning;
  if (said !== undefined) {
    const { code, ...remark } = said;
    context.report(code, written.valueSpan, remark);
  }
  return "fault" in operand ? null : { ...operand.value, span: written.span };
}

function missingOperand(context: TermContext, written: WrittenOperator): null {
  const { name, span } = written;
  if (context.touchesGroup) {
    context.report("one_value_only", span, {
      message: `${name}: takes one value, not a group`,
      hint: `repeat the operator within the group: (${name}:a OR ${name}:b)`,
    });
    return null;
  }
  const next = shown(context.following);
  context.report("missing_operand", span, {
    message: `${name}: has no value`,
    hint:
      next === ""
        ? `write the value right after the colon, or put "${name}" in quotes to search for the word`
        : `leave out the space: ${name}:${next}`,
  });
  return null;
}

/** Operators in whose values a comma or the like may stand. */
const takesSeparators: ReadonlySet<OperatorName | null> = new Set<OperatorName>([
  "geocode",
  "url",
  "source",
  "within_time",
  "conversation_id",
  "in_reply_to",
  "quoted",
  "retweets_of_tweet_id",
]);

/** The values of a list such as `from:a,b`, where the operator takes one; null when there is no list. */
function listOfValues(name: OperatorName | null, value: string): readonly string[] | null {
  const isNumber = /^\d{1,3}(?:,\d{3})+$/.test(value) && (name ?? "").startsWith("min_");
  if (takesSeparators.has(name) || isNumber || !/[,;|]/.test(value)) return null;
  return value.split(/[,;|]+/).filter((part) => part !== "");
}

function oneValueOnly(
  context: TermContext,
  written: WrittenOperator,
  values: readonly string[],
): null {
  const each = values.slice(0, 8).map((value) => `${written.name}:${value.trim()}`);
  const rewritten = each.length > 1 ? `(${each.join(" OR ")})` : (each[0] ?? "");
  context.report("one_value_only", written.valueSpan, {
    message: `${written.name}: takes one value, not ${shown(written.value)}`,
    hint: `write ${shown(rewritten)}`,
  });
  return null;
}
