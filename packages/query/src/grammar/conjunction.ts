import { truncate } from "../operators/operand.ts";
import { phraseSequence, querySequence } from "../text/sequence.ts";
import type { DiagnosticCode, DiagnosticDetails } from "../tree/diagnostics.ts";
import { printQuery } from "../tree/print.ts";
import {
  countMetrics,
  type PostProperty,
  type QueryLeaf,
  type QueryNode,
  type QuerySpan,
} from "../tree/tree.ts";

type Report = (code: DiagnosticCode, span: QuerySpan, details: DiagnosticDetails) => void;

type Literal = { leaf: QueryLeaf; isNegated: boolean; span: QuerySpan };
type Kind = QueryLeaf["kind"];

/** Warns about conjunctions that cannot match anything. */
export function warnAboutConjunction(parts: readonly QueryNode[], report: Report): void {
  const literals = parts.flatMap((part) => nodeLiterals(part, false));
  if (literals.length < 2) return;
  warnEmptyWindow(literals, report);
  warnEmptyIds(literals, report);
  warnOpposites(literals, report);
  warnOppositeCounts(literals, report);
  warnOppositeProperties(literals, report);
  warnTwoAuthors(literals, report);
  warnTwoPlatforms(literals, report);
}

/** Leaves that every match satisfies, which excludes leaves of alternatives. */
function nodeLiterals(node: QueryNode, isNegated: boolean): Literal[] {
  if (node.kind === "not") {
    const { child, span } = node;
    const inner = nodeLiterals(child, !isNegated);
    return inner.map((literal) => (literal.leaf === child ? { ...literal, span } : literal));
  }
  if (node.kind === "and" || node.kind === "or") {
    const areConjoined = node.kind === (isNegated ? "or" : "and");
    return areConjoined ? node.children.flatMap((child) => nodeLiterals(child, isNegated)) : [];
  }
  return [{ leaf: node, isNegated, span: node.span }];
}

function printLiteral({ leaf, isNegated }: Literal): string {
  return `${isNegated ? "-" : ""}${truncate(printQuery(leaf))}`;
}

function warnAboutPair(
  report: Report,
  code: DiagnosticCode,
  pair: readonly [Literal, Literal],
  hint: string,
): void {
  const [first, second] = pair.toSorted((a, b) => a.span.offset - b.span.offset);
  if (first === undefined || second === undefined) return;
  const message = `no post matches both ${printLiteral(first)} and ${printLiteral(second)}`;
  report(code, second.span, { message, hint });
}

const removeOneHint = "remove one of them, or write OR between them";

function warnEmptyWindow(literals: readonly Literal[], report: Report): void {
  const from = highest(
    [...filterLiterals(literals, "since", false), ...filterLiterals(literals, "until", true)],
    literalTime,
  );
  const to = lowest(
    [...filterLiterals(literals, "until", false), ...filterLiterals(literals, "since", true)],
    literalTime,
  );
  if (from !== null && to !== null && literalTime(to) <= literalTime(from)) {
    const isPlain = !from.isNegated && !to.isNegated;
    const hint =
      literalTime(to) < literalTime(from)
        ? swappedBoundsHint(from, to)
        : "until: is exclusive: write the day after the last one";
    warnAboutPair(report, "empty_window", [from, to], isPlain ? hint : removeOneHint);
  }
  const upperBound = lowest(filterLiterals(literals, "within", false), literalTime);
  const lowerBound = highest(filterLiterals(literals, "within", true), literalTime);
  if (
    upperBound === null ||
    lowerBound === null ||
    literalTime(upperBound) > literalTime(lowerBound)
  )
    return;
  warnAboutPair(report, "empty_window", [upperBound, lowerBound], removeOneHint);
}

function swappedBoundsHint(since: Literal, until: Literal): string {
  const [from, to] = [printQuery(since.leaf), printQuery(until.leaf)];
  return `write ${to.replace("until:", "since:")} ${from.replace("since:", "until:")}`;
}

const literalTime = ({ leaf }: Literal): number => ("ms" in leaf ? leaf.ms : 0);
const literalId = ({ leaf }: Literal): bigint => ("id" in leaf ? BigInt(leaf.id) : 0n);

function warnEmptyIds(literals: readonly Literal[], report: Report): void {
  const lowerBound = highest(
    [...filterLiterals(literals, "since-id", false), ...filterLiterals(literals, "max-id", true)],
    literalId,
  );
  const upperBound = lowest(
    [...filterLiterals(literals, "max-id", false), ...filterLiterals(literals, "since-id", true)],
    literalId,
  );
  if (lowerBound === null || upperBound === null || literalId(upperBound) > literalId(lowerBound))
    return;
  const hint = "since_id: is exclusive and max_id: inclusive: max_id: must be the higher ID";
  warnAboutPair(report, "empty_window", [lowerBound, upperBound], hint);
}

const boundKinds: ReadonlySet<Kind> = new Set(["since", "until", "within", "since-id", "max-id"]);

function warnOpposites(literals: readonly Literal[], report: Report): void {
  const seen = new Map<string, Literal>();
  for (const literal of literals) {
    if (boundKinds.has(literal.leaf.kind)) continue;
    const key = leafMatchKey(literal.leaf);
    const other = seen.get(`${!literal.isNegated} ${key}`);
    if (other !== undefined)
      warnAboutPair(report, "contradiction", [other, literal], removeOneHint);
    seen.set(`${literal.isNegated} ${key}`, literal);
  }
}

/** Equal for leaves that match the same posts. Words are compared by their tokens. */
function leafMatchKey(leaf: QueryLeaf): string {
  if (leaf.kind === "word") return JSON.stringify(querySequence(leaf.text));
  if (leaf.kind === "phrase") return JSON.stringify(phraseSequence(leaf.text));
  return printQuery(leaf);
}

function warnOppositeCounts(literals: readonly Literal[], report: Report): void {
  for (const metric of countMetrics) {
    const metricLiterals = literals.filter(
      ({ leaf }) => "metric" in leaf && leaf.metric === metric,
    );
    const lowerBound = highest(filterLiterals(metricLiterals, "min-count", false), literalCount);
    const upperBound = lowest(filterLiterals(metricLiterals, "min-count", true), literalCount);
    if (
      lowerBound === null ||
      upperBound === null ||
      literalCount(lowerBound) < literalCount(upperBound)
    )
      continue;
    warnAboutPair(report, "contradiction", [lowerBound, upperBound], removeOneHint);
  }
}

const literalCount = ({ leaf }: Literal): number => ("atLeast" in leaf ? leaf.atLeast : 0);

const impliedProperties: Readonly<Partial<Record<PostProperty, PostProperty>>> = {
  nativeretweets: "retweets",
  self_threads: "replies",
  images: "media",
  videos: "media",
};
/** Native reposts are not counted as replies. */
const nonRepostProperties: ReadonlySet<PostProperty> = new Set(["replies", "self_threads"]);

function warnOppositeProperties(literals: readonly Literal[], report: Report): void {
  const properties = filterLiterals(literals, "property", false);
  const excludedProperties = filterLiterals(literals, "property", true);
  for (const literal of properties) {
    const impliedProperty = impliedProperties[literalProperty(literal)];
    const opposite = excludedProperties.find((each) => literalProperty(each) === impliedProperty);
    if (opposite !== undefined)
      warnAboutPair(report, "contradiction", [literal, opposite], removeOneHint);
  }
  const repost = properties.find((property) => literalProperty(property) === "nativeretweets");
  const reply = properties.find((property) => nonRepostProperties.has(literalProperty(property)));
  if (repost === undefined || reply === undefined) return;
  warnAboutPair(report, "contradiction", [repost, reply], removeOneHint);
}

const literalProperty = ({ leaf }: Literal): PostProperty =>
  leaf.kind === "property" ? leaf.property : "safe";

/** Two names may belong to the same account: a handle and its DID. */
function warnTwoAuthors(literals: readonly Literal[], report: Report): void {
  const [first, ...others] = filterLiterals(literals, "from", false);
  const second = others.find(
    (other) => first !== undefined && printLiteral(other) !== printLiteral(first),
  );
  if (first === undefined || second === undefined) return;
  report("contradiction", second.span, {
    message: `a post has one author: ${printLiteral(first)} and ${printLiteral(second)} match nothing together unless both are the same account`,
    hint: `write (${printLiteral(first)} OR ${printLiteral(second)}) for posts by either`,
  });
}

function warnTwoPlatforms(literals: readonly Literal[], report: Report): void {
  const [first, ...others] = filterLiterals(literals, "platform", false);
  const second = others.find(
    (other) => first !== undefined && printLiteral(other) !== printLiteral(first),
  );
  if (first === undefined || second === undefined) return;
  const hint = `write (${printLiteral(first)} OR ${printLiteral(second)}) for posts from either`;
  warnAboutPair(report, "contradiction", [first, second], hint);
}

function filterLiterals(literals: readonly Literal[], kind: Kind, isNegated: boolean): Literal[] {
  return literals.filter(
    (literal) => literal.leaf.kind === kind && literal.isNegated === isNegated,
  );
}

function highest<Value extends number | bigint>(
  literals: readonly Literal[],
  measure: (literal: Literal) => Value,
): Literal | null {
  return literals.reduce<Literal | null>(
    (best, literal) => (best === null || measure(literal) > measure(best) ? literal : best),
    null,
  );
}

function lowest<Value extends number | bigint>(
  literals: readonly Literal[],
  measure: (literal: Literal) => Value,
): Literal | null {
  return literals.reduce<Literal | null>(
    (best, literal) => (best === null || measure(literal) < measure(best) ? literal : best),
    null,
  );
}
