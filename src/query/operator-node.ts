import { nearest } from "../lib/nearest.ts";
import { makeNot } from "./build.ts";
import type { TermContext } from "./leaf.ts";
import { fault, type Operand, shown } from "./operand.ts";
import { substituteFor, supportedName, unavailableFilters } from "./operators.ts";
import { readDate } from "./read-date.ts";
import { readGeocode } from "./read-geocode.ts";
import { likelyLanguage, readLanguage } from "./read-language.ts";
import { readCount, readUser } from "./read-values.ts";
import type { QueryNode, Span } from "./tree.ts";

/** An operator as written: `span` covers all of it, `valueSpan` what stands after the colon, with its quotes. */
export type WrittenOperator = { name: string; value: string; span: Span; valueSpan: Span };

/** The node of an operator whose name belongs to the language, or null when it is faulty or has no effect. */
export function operatorNode(context: TermContext, written: WrittenOperator): QueryNode | null {
  const name = supportedName(written.name);
  if (name === null) return notAvailable(context, written, `${written.name}:`);
  if (written.value === "") return missingOperand(context, written);
  if (name === "filter" || name === "is" || name === "exclude" || name === "include") {
    return filterNode(context, written, name);
  }
  const list = listOfValues(name, written.value);
  if (list !== null) return oneValueOnly(context, written, list);
  const operand = readOperand(context, name, written);
  if ("value" in operand) return operand.value;
  const { code, ...remark } = operand.fault;
  context.report(code, written.valueSpan, remark);
  return null;
}

function readOperand(
  context: TermContext,
  name: string,
  written: WrittenOperator,
): Operand<QueryNode> {
  const { value, span } = written;
  switch (name) {
    case "from":
      return map(readUser(name, value), (user) => ({ kind: "from", user, span }));
    case "to":
      return map(readUser(name, value), (user) => ({ kind: "to", user, span }));
    case "lang":
      return map(readLanguage(value), ({ code, isKnown }) => {
        if (!isKnown) warnUnknownLanguage(context, written, code);
        return { kind: "lang", code, span };
      });
    case "since":
      return map(readDate(name, value), (ms) => ({ kind: "since", ms, span }));
    case "until":
      return map(readDate(name, value), (ms) => ({ kind: "until", ms, span }));
    case "min_faves":
      return map(readCount(written.name, value), (atLeast) => {
        return { kind: "min-count", metric: "likes", atLeast, span };
      });
    case "min_retweets":
      return map(readCount(written.name, value), (atLeast) => {
        return { kind: "min-count", metric: "reposts", atLeast, span };
      });
    case "geocode":
      return map(readGeocode(value), (circle) => ({ kind: "geocode", ...circle, span }));
    default:
      return readUrl(value, span);
  }
}

function map<From>(operand: Operand<From>, make: (value: From) => QueryNode): Operand<QueryNode> {
  return "fault" in operand ? operand : { value: make(operand.value) };
}

function readUrl(value: string, span: Span): Operand<QueryNode> {
  if (/[\p{L}\p{N}]/u.test(value)) return { value: { kind: "url", text: value, span } };
  return fault(
    "invalid_url",
    `url: wants an address or a part of one, not ${shown(value)}`,
    ["a host, a path or a whole address"],
    'write it as in url:"nasa.gov/artemis"',
  );
}

function filterNode(
  context: TermContext,
  written: WrittenOperator,
  name: "filter" | "is" | "exclude" | "include",
): QueryNode | null {
  const value = written.value.toLowerCase();
  const label = `${name}:${value}`;
  if (name === "include" && (value === "retweets" || value === "nativeretweets")) {
    return includeReposts(context, written);
  }
  const { span } = written;
  const singular = value === "retweet" ? "retweets" : value;
  if (name !== "include" && (singular === "retweets" || singular === "safe")) {
    const node: QueryNode = { kind: "property", property: singular, span };
    return name === "exclude" ? makeNot(node, span) : node;
  }
  if (unavailableFilters.includes(value)) return notAvailable(context, written, label);
  const near = nearest(value, ["retweets", "safe", ...unavailableFilters]);
  context.report("unknown_filter", written.valueSpan, {
    message: `${name}: does not know ${shown(written.value)}`,
    hint: near === null ? `write it as in ${name}:retweets` : `did you mean ${name}:${near}`,
    expected: name === "include" ? ["retweets", "nativeretweets"] : ["retweets", "safe"],
  });
  return null;
}

/** Reposts are found unless they are excluded, so asking for them changes nothing; refusing them by this name would. */
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

function notAvailable(context: TermContext, written: WrittenOperator, label: string): null {
  context.report("operator_not_available", written.span, {
    message: `${shown(label)} is not supported by this version`,
    hint: substituteFor(label),
  });
  return null;
}

function missingOperand(context: TermContext, written: WrittenOperator): null {
  const next = shown(context.following);
  const { code, hint } = context.touchesGroup
    ? {
        code: "one_value_only" as const,
        hint: `repeat the operator within the group: (${written.name}:a OR ${written.name}:b)`,
      }
    : {
        code: "missing_operand" as const,
        hint:
          next === ""
            ? `write the value right after the colon, or put "${written.name}" in quotes to search for the word`
            : `leave out the space: ${written.name}:${next}`,
      };
  const message =
    code === "one_value_only"
      ? `${written.name}: takes one value, not a group`
      : `${written.name}: has no value`;
  context.report(code, written.span, { message, hint });
  return null;
}

/** The values of a list such as `from:a,b`, where the operator takes one; null when there is no list. */
function listOfValues(name: string, value: string): readonly string[] | null {
  const takesList = name === "geocode" || name === "url";
  const isNumber = name.startsWith("min_") && /^\d{1,3}(?:,\d{3})+$/.test(value);
  if (takesList || isNumber || !/[,;|]/.test(value)) return null;
  const values = value.split(/[,;|]+/).filter((part) => part !== "");
  return values;
}

function oneValueOnly(
  context: TermContext,
  written: WrittenOperator,
  values: readonly string[],
): null {
  const each = values.map((value) => `${written.name}:${value}`);
  const rewritten = each.length > 1 ? `(${each.join(" OR ")})` : (each[0] ?? "");
  context.report("one_value_only", written.valueSpan, {
    message: `${written.name}: takes one value, not ${shown(written.value)}`,
    hint: `write ${shown(rewritten)}`,
  });
  return null;
}

function warnUnknownLanguage(context: TermContext, written: WrittenOperator, code: string): void {
  const likely = likelyLanguage(written.value);
  context.report("unknown_language", written.valueSpan, {
    message: `no language has the code ${shown(code)}, so nothing is found`,
    hint: likely === null ? "use an ISO 639 code such as en" : `did you mean lang:${likely}`,
  });
}
