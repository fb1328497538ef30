import { shown } from "../operators/operand.ts";
import {
  type FilterOperator,
  likelyProperty,
  propertyNamed,
  unavailableFilter,
} from "../operators/operators.ts";
import { makeNot } from "../tree/build.ts";
import type { Rewrites } from "../tree/diagnostics.ts";
import { postProperties, type QueryNode } from "../tree/tree.ts";
import { notAvailable } from "./not-available.ts";
import type { WrittenOperator } from "./operator-node.ts";
import type { TermContext } from "./term-context.ts";

export function filterNode(
  context: TermContext,
  written: WrittenOperator,
  name: FilterOperator,
): QueryNode | null {
  const property = propertyNamed(written.value);
  const unavailable = unavailableFilter(written.value);
  if (unavailable !== null) {
    return notAvailable(context, written, `${name}:${written.value.toLowerCase()}`, unavailable);
  }
  if (name === "include") {
    const isRepost = property === "retweets" || property === "nativeretweets";
    return isRepost ? includeReposts(context, written) : includeNothingElse(context, written);
  }
  if (property === null) return unknownFilter(context, written, name);
  const { span } = written;
  const node: QueryNode = { kind: "property", property, span };
  return name === "exclude" ? makeNot(node, span) : node;
}

function unknownFilter(context: TermContext, written: WrittenOperator, name: string): null {
  const { span, valueSpan } = written;
  const whole = { offset: context.start, length: span.offset + span.length - context.start };
  const isOriginals = originals.test(written.value);
  context.report("unknown_filter", isOriginals ? whole : valueSpan, {
    message: `unknown value of ${name}: ${shown(written.value)}`,
    hint: isOriginals ? hintForOriginals(context, name) : hintForName(name, written.value),
    expected: expectedOf(name),
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
  const near = likelyProperty(value);
  return {
    lead: "did you mean",
    queries: near === null ? [] : [`${name}:${near}`],
    otherwise: `use a value as in ${name}:${exampleOf(name)}`,
  };
}

const exampleOf = (name: string): string =>
  name === "has" ? "images" : name === "is" ? "reply" : "retweets";

const expectedOf = (name: string): readonly string[] =>
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
function includeReposts(context: TermContext, written: WrittenOperator): null {
  if (context.isNegated) {
    context.report("unknown_filter", written.span, {
      message: "include: cannot be negated",
      hint: "write -filter:retweets to exclude reposts",
      expected: ["-filter:retweets"],
    });
    return null;
  }
  context.report("no_effect", written.span, {
    message: `${written.name}:${written.value} has no effect: reposts are included by default`,
    hint: "remove it; -filter:retweets excludes reposts, filter:retweets finds only reposts",
  });
  return null;
}

function includeNothingElse(context: TermContext, written: WrittenOperator): null {
  const property = propertyNamed(written.value) ?? likelyProperty(written.value);
  const filter = property === null ? "retweets" : property;
  context.report("unknown_filter", written.valueSpan, {
    message: `unknown value of include: ${shown(written.value)}`,
    hint: `use filter:${filter} for only these posts, -filter:${filter} to exclude them`,
    expected: ["retweets", "nativeretweets"],
  });
  return null;
}
