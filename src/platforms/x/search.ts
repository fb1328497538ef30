import type { QueryNode } from "@earshot/query/tree";
import { EarshotError } from "../../lib/errors.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";
import type { Session } from "../session.ts";
import type { SearchCall, UpstreamPage, UpstreamSearch } from "../upstream.ts";
import { emptyPage } from "../upstream-page.ts";
import { type Expression, isExpressible, printExpression } from "./query/expression.ts";
import { lowerQuery } from "./query/lower.ts";
import { shortenExpression } from "./query/shorten.ts";
import {
  listSearchRoutes,
  requestSearch,
  searches,
  searchName,
  type XSearchRequest,
} from "./search-request.ts";
import { type SearchWindow, searchWindow } from "./search-window.ts";

/** Errors: `search_not_sayable` if nothing is left to search for, or the query is too long. */
export const xSearch: UpstreamSearch = {
  routes: listSearchRoutes,
  isExhaustive: true,
  page: searchPage,
};

async function searchPage(call: SearchCall, session: Session): Promise<UpstreamPage | null> {
  if (call.cursor !== null) return await nextPage(call.cursor, call.limit, session);
  const window = searchWindow(
    narrowedWindow(call.tree, call, call.asOfMs),
    session.nowMs,
    searchName(call.route),
  );
  if (window === null) return emptyPage;
  const refusedOperators = new Set<string>();
  for (;;) {
    const expression = lowerQuery(call.tree, { names: call.names, refusedOperators });
    if (expression.kind === "none") return null;
    const request = makeRequest(expression, window);
    try {
      return await requestPage({ ...request, token: null, limit: call.limit }, session);
    } catch (error) {
      const operator = refusedOperator(error, request.query);
      if (operator === null || refusedOperators.has(operator)) throw error;
      refusedOperators.add(operator);
    }
  }
}

type WindowedQuery = Omit<XSearchRequest, "token" | "limit">;

/** A query too long for recent search may fit full-archive search. */
function makeRequest(expression: Expression, window: SearchWindow): WindowedQuery {
  if (!isExpressible(expression)) throw notExpressible();
  const { maxCharacters } = searches[window.search];
  const shortened = shortenExpression(expression, maxCharacters);
  if (shortened === null) throw tooLong(maxCharacters);
  return { ...window, query: printExpression(shortened) };
}

async function requestPage(request: XSearchRequest, session: Session): Promise<UpstreamPage> {
  const page = await requestSearch(request, session);
  if (page.next === null) return page;
  return { ...page, next: positionText({ ...request, token: page.next }) };
}

/** X's token is valid only for the same query and window. */
function positionText({ search, query, fromMs, toMs, token }: XSearchRequest): string {
  return JSON.stringify([search, query, fromMs, toMs, token]);
}

async function nextPage(cursor: string, limit: number, session: Session): Promise<UpstreamPage> {
  const [search, query, fromMs, toMs, token] = JSON.parse(cursor) as [
    XSearchRequest["search"],
    string,
    number | null,
    number,
    string,
  ];
  return await requestPage({ search, query, fromMs, toMs, token, limit }, session);
}

function notExpressible(): EarshotError {
  return new EarshotError(
    "search_not_sayable",
    "X requires a word, phrase, hashtag, account, link or number of reactions in each alternative of a query",
    { status: 422, hint: "add one, such as a word or from:<username>" },
  );
}

function tooLong(max: number): EarshotError {
  return new EarshotError(
    "search_not_sayable",
    `the query exceeds X's limit of ${max} characters, and none of its alternatives can be omitted`,
    { status: 422, hint: "search for fewer alternatives at a time" },
  );
}

/** The operator quoted in the error message; null for other errors. */
function refusedOperator(error: unknown, query: string): string | null {
  if (!(error instanceof EarshotError) || error.code !== "upstream_refused") return null;
  const [, operator] =
    /operator[^'"]{0,40}['"]((?:is|has):[a-z_]{1,40}|[a-z_]{1,40}):?['"]/i.exec(error.message) ??
    [];
  return operator !== undefined && query.includes(operator) ? operator : null;
}

type Span = { fromMs: number | null; toMs: number };

/** The maximum difference between the time in a post's ID and X's `created_at`. */
const maxSkewMs = 1_000;

export function narrowedWindow(tree: QueryNode, window: Span, asOfMs: number): Span {
  const parts = tree.kind === "and" ? tree.children : [tree];
  let { fromMs, toMs } = window;
  for (const part of parts) {
    const bound = nodeBound(part, asOfMs);
    if (bound.fromMs !== null) fromMs = Math.max(fromMs ?? bound.fromMs, bound.fromMs);
    if (bound.toMs !== null) toMs = Math.min(toMs, bound.toMs);
  }
  return { fromMs, toMs };
}

type Bound = { fromMs: number | null; toMs: number | null };

function nodeBound(node: QueryNode, asOfMs: number): Bound {
  switch (node.kind) {
    case "since":
      return { fromMs: node.ms, toMs: null };
    case "within":
      return { fromMs: asOfMs - node.ms, toMs: null };
    case "until":
      return { fromMs: null, toMs: node.ms };
    case "since-id": {
      const id = BigInt(node.id);
      return { fromMs: hasTime(id) ? idTimeMs(id) - maxSkewMs : null, toMs: null };
    }
    case "max-id": {
      const id = BigInt(node.id);
      return { fromMs: null, toMs: hasTime(id) ? idTimeMs(id) + maxSkewMs + 1 : null };
    }
    default:
      return { fromMs: null, toMs: null };
  }
}
