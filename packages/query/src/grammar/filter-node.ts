import { truncate } from "../operators/operand.ts";
import {
  type FilterOperator,
  likelyProperty,
  propertyNamed,
  unavailableFilter,
} from "../operators/operators.ts";
import type { Rewrites } from "../tree/diagnostics.ts";
import { makeNot, postProperties, type QueryNode } from "../tree/tree.ts";
import { reportNotAvailable } from "./not-available.ts";
import type { OperatorTerm } from "./operator-node.ts";
import type { TermContext } from "./parser-state.ts";

export function filterNode(
  context: TermContext,
  operator: OperatorTerm,
  name: FilterOperator,
): QueryNode | null {
  const property = propertyNamed(operator.value);
  const unavailable = unavailableFilter(operator.value);
  if (unavailable !== null) {
    return reportNotAvailable(
      context,
      operator,
      `${name}:${operator.value.toLowerCase()}`,
      unavailable,
    );
  }
  if (name === "include") {
    const isRepost = property === "retweets" || property === "nativeretweets";
    return isRepost ? includeReposts(context, operator) : reportUnknownInclude(context, operator);
  }
  if (property === null) return reportUnknownFilter(context, operator, name);
  const { span } = operator;
  const node: QueryNode = { kind: "property", property, span };
  return name === "exclude" ? makeNot(node, span) : node;
}

function reportUnknownFilter(context: TermContext, operator: OperatorTerm, name: string): null {
  const { span, valueSpan } = operator;
  const fullSpan = { offset: context.start, length: span.offset + span.length - context.start };
  const isOriginals = originals.test(operator.value);
  context.report("unknown_filter", isOriginals ? fullSpan : valueSpan, {
    message: `unknown value of ${name}: ${truncate(operator.value)}`,
    hint: isOriginals ? hintForOriginals(context, name) : hintForName(name, operator.value),
    expected: getExpectedValues(name),
  });
  return null;
}

const originals = /^(?:tweets?|posts?|originals?)$/i;
const orders = /^(?:top|latest|popular|recent|live|newest|best)$/i;

function hintForOriginals({ isNegated }: TermContext, name: string): string {
  const isExcluded = isNegated !== (name === "exclude");
  return `did you mean ${isExcluded ? "" : "-"}filter:retweets`;
}

function hintForName(name: string, value: string): string | Rewrites {
  if (orders.test(value)) return "remove it: a query does not set the order of posts";
  const nearestProperty = likelyProperty(value);
  return {
    lead: "did you mean",
    queries: nearestProperty === null ? [] : [`${name}:${nearestProperty}`],
    otherwise: `use a value such as ${name}:${formatExample(name)}`,
  };
}

const formatExample = (name: string): string =>
  name === "has" ? "images" : name === "is" ? "reply" : "retweets";

const getExpectedValues = (name: string): readonly string[] =>
  name === "has"
    ? [
        "links",
        "media",
        "images",
        "videos",
        "hashtags",
        "mentions",
        "cashtags",
        "geo",
        "engagement",
      ]
    : postProperties;

/** Has no effect, because results include reposts by default. Negating it is an error. */
function includeReposts(context: TermContext, operator: OperatorTerm): null {
  if (context.isNegated) {
    context.report("unknown_filter", operator.span, {
      message: "include: cannot be negated",
      hint: "write -filter:retweets to exclude reposts",
      expected: ["-filter:retweets"],
    });
    return null;
  }
  context.report("no_effect", operator.span, {
    message: `${operator.name}:${operator.value} has no effect: reposts are included by default`,
    hint: "remove it; -filter:retweets excludes reposts, filter:retweets finds only reposts",
  });
  return null;
}

function reportUnknownInclude(context: TermContext, operator: OperatorTerm): null {
  const property = propertyNamed(operator.value) ?? likelyProperty(operator.value);
  const filter = property === null ? "retweets" : property;
  context.report("unknown_filter", operator.valueSpan, {
    message: `unknown value of include: ${truncate(operator.value)}`,
    hint: `use filter:${filter} for only these posts, -filter:${filter} to exclude them`,
    expected: ["retweets", "nativeretweets"],
  });
  return null;
}
