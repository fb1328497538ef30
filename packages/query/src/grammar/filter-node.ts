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
    message: `${name}: does not know ${shown(written.value)}`,
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
  if (orders.test(value)) return "leave it out: the order of posts is no part of the query";
  const near = likelyProperty(value);
  return {
    lead: "did you mean",
    queries: near === null ? [] : [`${name}:${near}`],
    otherwise: `write it as in ${name}:${exampleOf(name)}`,
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

/** Results include reposts by default. Negated it would exclude them, which is an error. */
function includeReposts(context: TermContext, written: WrittenOperator): null {
  if (context.isNegated) {
    context.report("unknown_filter", written.span, {
      message: "include: cannot be negated",
      hint: "write -filter:retweets to leave reposts out",
      expected: ["-filter:retweets"],
    });
    return null;
  }
  context.report("no_effect", written.span, {
    message: `${written.name}:${written.value} changes nothing: reposts are found unless they are excluded`,
    hint: "leave it out; -filter:retweets leaves reposts out, filter:retweets finds nothing else",
  });
  return null;
}

function includeNothingElse(context: TermContext, written: WrittenOperator): null {
  const property = propertyNamed(written.value) ?? likelyProperty(written.value);
  const filter = property === null ? "retweets" : property;
  context.report("unknown_filter", written.valueSpan, {
    message: `include: does not know ${shown(written.value)}`,
    hint: `everything is found unless it is excluded; filter:${filter} finds nothing else, -filter:${filter} leaves it out`,
    expected: ["retweets", "nativeretweets"],
  });
  return null;
}
