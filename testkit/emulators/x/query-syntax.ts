import { badParameter } from "./problems.ts";

export type Clause =
  | { kind: "and" | "or"; parts: readonly Clause[] }
  | { kind: "term"; operator: string; value: string; isNegated: boolean };

/** Here, `keyword` and `phrase` mean unquoted and quoted words. */
const operators: Readonly<Record<string, "standalone" | "conjunction">> = {
  keyword: "standalone",
  phrase: "standalone",
  "#": "standalone",
  "@": "standalone",
  $: "standalone",
  from: "standalone",
  to: "standalone",
  retweets_of: "standalone",
  url: "standalone",
  context: "standalone",
  entity: "standalone",
  conversation_id: "standalone",
  list: "standalone",
  in_reply_to_tweet_id: "standalone",
  retweets_of_tweet_id: "standalone",
  quotes_of_tweet_id: "standalone",
  place: "standalone",
  place_country: "standalone",
  point_radius: "standalone",
  bounding_box: "standalone",
  min_likes: "standalone",
  min_replies: "standalone",
  min_reposts: "standalone",
  is: "conjunction",
  has: "conjunction",
  lang: "conjunction",
};

const valuesOf: Readonly<Record<string, readonly string[]>> = {
  is: ["retweet", "reply", "quote", "verified", "nullcast"],
  has: ["hashtags", "cashtags", "links", "mentions", "media", "images", "video_link", "geo"],
};

const languages =
  "am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu iw hi hu in it ja kn ko lv lt ml mr no fa pl pt ro ru sr zh-CN sk sl es sv ta te th zh-TW tr uk ur vi".split(
    " ",
  );

type Mark = "(" | ")" | "OR";
type Token = { kind: "mark"; mark: Mark; at: number } | { kind: "term"; text: string; at: number };

/** Throws X's 400. */
export function readQuery(query: string, refusedOperators: readonly string[]): Clause {
  const refuse = (reason: string): never => {
    throw badParameter("query", query, `There were errors processing your request: ${reason}`);
  };
  const tokens = queryTokens(query, refuse);
  let index = 0;

  function group(): Clause {
    const alternatives: Clause[] = [];
    for (;;) {
      const parts: Clause[] = [];
      for (;;) {
        const token = tokens[index];
        if (token === undefined || (token.kind === "mark" && token.mark !== "(")) break;
        index += 1;
        parts.push(
          token.kind === "mark" ? parenthesised() : makeTerm(token, refusedOperators, refuse),
        );
      }
      const [first, ...more] = parts;
      if (first === undefined)
        return refuse(`missing expression at position ${tokens[index]?.at ?? query.length}`);
      alternatives.push(more.length === 0 ? first : { kind: "and", parts });
      const token = tokens[index];
      if (token?.kind !== "mark" || token.mark !== "OR") break;
      index += 1;
    }
    const [firstAlternative, ...others] = alternatives;
    return firstAlternative !== undefined && others.length === 0
      ? firstAlternative
      : { kind: "or", parts: alternatives };
  }

  function parenthesised(): Clause {
    const inner = group();
    const token = tokens[index];
    if (token?.kind !== "mark" || token.mark !== ")") return refuse("missing ')'");
    index += 1;
    return inner;
  }

  const clause = group();
  if (index < tokens.length) refuse(`mismatched input at position ${tokens[index]?.at}`);
  if (!requiresTerm(clause, (term) => !term.isNegated)) {
    refuse("negated operators cannot be used alone");
  }
  if (
    !requiresTerm(clause, (term) => !term.isNegated && operators[term.operator] === "standalone")
  ) {
    refuse(
      "Rules must contain at least one positive, non-stopword clause: conjunction-required operators cannot be used alone",
    );
  }
  return clause;
}

function requiresTerm(
  clause: Clause,
  predicate: (term: Clause & { kind: "term" }) => boolean,
): boolean {
  if (clause.kind === "term") return predicate(clause);
  return clause.kind === "and"
    ? clause.parts.some((part) => requiresTerm(part, predicate))
    : clause.parts.every((part) => requiresTerm(part, predicate));
}

function queryTokens(query: string, refuse: (reason: string) => never): Token[] {
  const tokens: Token[] = [];
  const pattern = /\s+|([()])|(-?(?:[@#$]?[^\s()"[\]]*(?:"[^"]*"|\[[^\]]*\])|[^\s()"[\]]+))|(.)/gu;
  for (const { 0: match, 1: parenthesis, 2: term, 3: stray, index } of query.matchAll(pattern)) {
    if (stray !== undefined) refuse(`unexpected ${stray} at position ${index}`);
    if (parenthesis !== undefined)
      tokens.push({ kind: "mark", mark: parenthesis as Mark, at: index });
    if (term === undefined) continue;
    if (term === "-") refuse("do not negate grouped operators");
    if (match === "OR") tokens.push({ kind: "mark", mark: "OR", at: index });
    else tokens.push({ kind: "term", text: term, at: index });
  }
  return tokens;
}

function makeTerm(
  { text, at }: Token & { kind: "term" },
  refusedOperators: readonly string[],
  refuse: (reason: string) => never,
): Clause {
  const isNegated = text.startsWith("-");
  const body = isNegated ? text.slice(1) : text;
  const { operator, value } = readOperator(body);
  const name = operator === "is" || operator === "has" ? `${operator}:${value}` : operator;
  const refuseOperator = (): never =>
    refuse(
      `Reference to invalid operator '${name}'. Operator is not available in current product or product packaging. Please refer to complete available operator list at https://t.co/operators. (at position ${at + 1})`,
    );
  if (operators[operator] === undefined || refusedOperators.includes(name)) refuseOperator();
  const allowed = valuesOf[operator];
  if (allowed !== undefined && !allowed.includes(value)) refuseOperator();
  if (operator === "is" && value === "nullcast" && !isNegated)
    refuse("is:nullcast must be negated");
  if (!isValue(operator, value))
    refuse(`'${value}' is not a value of ${operator} (at position ${at + 1})`);
  return { kind: "term", operator, value, isNegated };
}

function readOperator(body: string): { operator: string; value: string } {
  const quotedMatch = /^"([^"]*)"$/.exec(body);
  if (quotedMatch !== null) return { operator: "phrase", value: quotedMatch[1] ?? "" };
  const [sigil = ""] = body;
  if ("#@$".includes(sigil)) return { operator: sigil, value: body.slice(1) };
  const [, operator, value] = /^([^:]*):(.*)$/u.exec(body) ?? [];
  if (operator === undefined || value === undefined) return { operator: "keyword", value: body };
  return { operator, value: value.replace(/^"([^"]*)"$/, "$1") };
}

const valuePatterns: Readonly<Record<string, RegExp>> = {
  keyword: /^[\p{L}\p{M}\p{N}_\p{Extended_Pictographic}\p{Emoji_Component}]+$/u,
  phrase: /[^\s]/u,
  "#": /^[\p{L}\p{M}\p{N}_]+$/u,
  "@": /^\w{1,15}$/,
  $: /^[A-Za-z]{1,6}(?:[._][A-Za-z]{1,2})?$/,
  from: /^(?:\w{1,15}|\d{1,19})$/,
  to: /^(?:\w{1,15}|\d{1,19})$/,
  retweets_of: /^(?:\w{1,15}|\d{1,19})$/,
  url: /./,
  conversation_id: /^\d{1,19}$/,
  in_reply_to_tweet_id: /^\d{1,19}$/,
  retweets_of_tweet_id: /^\d{1,19}$/,
  quotes_of_tweet_id: /^\d{1,19}$/,
  min_likes: /^\d{1,15}$/,
  min_replies: /^\d{1,15}$/,
  min_reposts: /^\d{1,15}$/,
};

function isValue(operator: string, value: string): boolean {
  if (operator === "lang") return languages.includes(value);
  if (operator === "point_radius") return readCircle(value) !== null;
  return valuePatterns[operator]?.test(value) ?? true;
}

export type Circle = { lat: number; lon: number; radiusKm: number };

/** `[longitude latitude radius]` of at most 25 miles, or null. */
export function readCircle(value: string): Circle | null {
  const [, lon, lat, radius, unit] =
    /^\[(-?\d+(?:\.\d+)?) (-?\d+(?:\.\d+)?) (\d+(?:\.\d+)?)(km|mi)\]$/.exec(value) ?? [];
  if (lon === undefined || lat === undefined || radius === undefined) return null;
  const circle = {
    lat: Number(lat),
    lon: Number(lon),
    radiusKm: Number(radius) * (unit === "mi" ? 1.609344 : 1),
  };
  const isOnEarth = Math.abs(circle.lat) <= 90 && Math.abs(circle.lon) <= 180;
  return isOnEarth && circle.radiusKm <= 25 * 1.609344 ? circle : null;
}
