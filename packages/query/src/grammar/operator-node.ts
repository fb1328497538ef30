import { type BareLeaf, type Operand, truncate } from "../operators/operand.ts";
import {
  filterOperatorNamed,
  type OperatorName,
  operatorNamed,
  unavailableOperatorNamed,
  unavailableOperators,
} from "../operators/operators.ts";
import { leafReaders } from "../operators/read-operand.ts";
import type { QueryNode, QuerySpan } from "../tree/tree.ts";
import { filterNode } from "./filter-node.ts";
import { reportNotAvailable, substituteFor } from "./not-available.ts";
import type { TermContext } from "./parser-state.ts";

/** `valueSpan` includes quotes. */
export type OperatorTerm = {
  name: string;
  value: string;
  span: QuerySpan;
  valueSpan: QuerySpan;
};

export function operatorNode(context: TermContext, operator: OperatorTerm): QueryNode | null {
  const unavailable = unavailableOperatorNamed(operator.name);
  if (unavailable !== null) {
    const substitute = substituteFor(unavailable, operator.value);
    const row = unavailableOperators[unavailable];
    return reportNotAvailable(context, operator, `${operator.name}:`, row, substitute);
  }
  if (operator.value === "") return reportMissingOperand(context, operator);
  const name = operatorNamed(operator.name);
  const list = listValues(name, operator.value);
  if (list !== null) return reportMultipleValues(context, operator, list);
  const filter = filterOperatorNamed(operator.name);
  if (filter !== null) return filterNode(context, operator, filter);
  return name === null ? null : leafNode(context, operator, name);
}

function leafNode(
  context: TermContext,
  operator: OperatorTerm,
  name: OperatorName,
): QueryNode | null {
  const operand = leafReaders[name](operator.name.toLowerCase(), operator.value);
  warnEmptyWindow(context, operator, operand);
  const finding = "error" in operand ? operand.error : operand.warning;
  if (finding !== undefined) {
    const { code, ...details } = finding;
    context.report(code, operator.valueSpan, details);
  }
  return "error" in operand ? null : { ...operand.value, span: operator.span };
}

/** Nothing matches a zero duration. */
function warnEmptyWindow(
  context: TermContext,
  operator: OperatorTerm,
  operand: Operand<BareLeaf>,
): void {
  if ("error" in operand || operand.value.kind !== "within" || operand.value.ms > 0) return;
  context.report("empty_window", operator.valueSpan, {
    message: `${operator.name}:${truncate(operator.value)} covers no time, so nothing matches`,
    hint: `use a longer duration, such as ${operator.name}:1d`,
  });
}

function reportMissingOperand(context: TermContext, operator: OperatorTerm): null {
  const { name, span } = operator;
  if (context.touchesGroup) {
    const end = context.groupedValues?.end ?? span.offset + span.length;
    const fullSpan = { offset: context.start, length: end - context.start };
    context.report("one_value_only", fullSpan, {
      message: `${name}: must have one value, not a group`,
      hint: {
        lead: "write",
        queries: groupQueries(context, name).map(
          (query) => `${context.isNegated ? "-" : ""}${query}`,
        ),
        otherwise: `repeat the operator for each value, with OR between them`,
      },
    });
    return null;
  }
  const next = context.nextTerm;
  context.report("missing_operand", span, {
    message: `${name}: requires a value`,
    hint:
      next === ""
        ? `write the value right after the colon, or put "${name}" in quotes to search for the word`
        : {
            lead: "remove the space:",
            queries: [`${name}:${next}`],
            otherwise: "write the value right after the colon",
          },
  });
  return null;
}

function groupQueries({ groupedValues }: TermContext, name: string): readonly string[] {
  if (groupedValues === null) return [];
  const queries = groupedValues.values.map((value) =>
    value.toLowerCase().startsWith(`${name.toLowerCase()}:`) ? value : `${name}:${value}`,
  );
  if (queries.length === 1) return queries;
  const alternatives = `(${queries.join(" OR ")})`;
  return groupedValues.areAlternatives ? [alternatives] : [`(${queries.join(" ")})`, alternatives];
}

/** Their values may contain `,`, `;` or `|`. */
const operatorsWithSeparators: ReadonlySet<OperatorName | null> = new Set<OperatorName>([
  "geocode",
  "url",
  "source",
  "within_time",
  "conversation_id",
  "in_reply_to",
  "quoted",
  "retweets_of_tweet_id",
]);

function listValues(name: OperatorName | null, value: string): readonly string[] | null {
  const isNumber = /^\d{1,3}(?:,\d{3})+$/.test(value) && (name ?? "").startsWith("min_");
  if (operatorsWithSeparators.has(name) || isNumber || !/[,;|]/.test(value)) return null;
  return value.split(/[,;|]+/).filter((part) => part !== "");
}

const quoteIfSpaced = (value: string): string => (/\s/u.test(value) ? `"${value}"` : value);

function reportMultipleValues(
  context: TermContext,
  operator: OperatorTerm,
  values: readonly string[],
): null {
  const queries = values.map((value) => `${operator.name}:${quoteIfSpaced(value.trim())}`);
  // `exclude:a OR exclude:b` would match posts that have only one of them.
  const joiner = operator.name.toLowerCase() === "exclude" ? " " : " OR ";
  const rewritten = queries.length > 1 ? `(${queries.join(joiner)})` : (queries[0] ?? "");
  const { offset, length } = operator.span;
  const fullSpan = { offset: context.start, length: offset + length - context.start };
  context.report("one_value_only", context.isNegated ? fullSpan : operator.valueSpan, {
    message: `${operator.name}: must have one value, not ${truncate(operator.value)}`,
    hint: {
      lead: "write",
      queries: [context.isNegated ? `-${rewritten}` : rewritten],
      otherwise: `repeat the operator for each value, with ${joiner === " " ? "spaces" : "OR"} between them`,
    },
  });
  return null;
}
