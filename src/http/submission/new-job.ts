import { type Diagnostic, printQuery } from "@earshot/query/tree";
import type { Caller } from "../../accounts/authenticate.ts";
import type { RequestedBounds, SearchJobRequest } from "../../jobs/job.ts";
import type { NewJob } from "../../jobs/submissions/submission.ts";
import {
  type FetchMethod,
  isSearch,
  type SearchMethod,
  type SourceType,
} from "../../platforms/methods.ts";
import type { SearchPlatform, SourceWarning } from "../../platforms/source.ts";
import { parseSearchQuery } from "../../search/parse-search-query.ts";
import { continueFrom } from "../answers/next-cursor.ts";
import type { HttpContext } from "../context.ts";
import { withPointer } from "../problems/with-pointer.ts";
import { problem } from "../problems/write-problem.ts";
import type { CheckedArguments } from "./checked-arguments.ts";
import { requestedTarget } from "./requested-target.ts";
import {
  narrowWindow,
  requestedSpan,
  submissionWindow,
  unsearchedSpan,
  type Window,
  windowWarnings,
} from "./window.ts";

/** Errors: those of query and cursor, and `source_unavailable`. */
export function makeNewJob(
  context: HttpContext,
  caller: Caller,
  args: CheckedArguments,
): Promise<NewJob> {
  const { method } = args;
  return isSearch(method)
    ? searchJob(context, caller, { ...args, method })
    : fetchJob(context, caller, { ...args, method });
}

async function searchJob(
  context: HttpContext,
  caller: Caller,
  args: CheckedArguments & { method: SearchMethod },
): Promise<NewJob> {
  const { settings, sources } = context;
  const { platform, type, method, query, maxResults } = args;
  const isLive = method === "searchbyquery";
  const maxLength = isLive ? settings.maxLiveQueryLength : settings.maxArchiveQueryLength;
  const { tree, warnings } = parseSearchQuery(query, { maxLength });

  const canonicalQuery = printQuery(tree);
  const nowMs = context.clock.now();
  const firstWindow = submissionWindow(method, nowMs, settings.liveWindowMs);
  const start = getStart(context, caller, args, { platform, canonicalQuery, firstWindow, nowMs });
  const { accountId } = caller;
  const search = { platform, type, method, accountId };
  if (!sources.canSearch(search)) throw noSearchNode(platform);
  const [hasSource, isLocalOnly] = await Promise.all([
    type === "social" || sources.usesUpstream(search),
    sources.isLocalOnly(search),
  ]);

  const window = isLive ? start : { ...start, fromMs: null };
  const querySpan = requestedSpan(tree, start.requestedBounds, start.asOfMs);
  const unsearched = unsearchedSpan(window, querySpan);

  return {
    accountId: caller.accountId,
    keyId: caller.keyId,
    request: {
      platform,
      type,
      method,
      query,
      maxResults,
      ...narrowWindow(start, args.bounds),
      ...(unsearched === null ? {} : { unsearched }),
      asOfMs: start.asOfMs,
      after: start.after,
      requestedBounds: start.requestedBounds,
      ...localOnly(isLocalOnly),
    },
    canonicalQuery,
    tree,
    warnings: [
      ...warnings.map(diagnosticWarning),
      ...args.warnings,
      ...windowWarnings(window, start.requestedBounds, querySpan),
      ...(hasSource ? [] : [noCredential(type)]),
    ],
  };
}

async function fetchJob(
  context: HttpContext,
  caller: Caller,
  args: CheckedArguments & { method: FetchMethod },
): Promise<NewJob> {
  const { type, method, query, maxResults } = args;
  const { platform, target, canonicalQuery, warnings } = await requestedTarget(
    context,
    caller,
    args,
  );
  const nowMs = context.clock.now();
  const firstWindow = { fromMs: null, toMs: nowMs };
  const start = getStart(context, caller, args, { platform, canonicalQuery, firstWindow, nowMs });
  const { accountId } = caller;
  // The process that fetched a page also fetches the next.
  const isRemoteContinuation = (start.position?.nodeId ?? null) !== null;
  const isLocalOnly =
    !isRemoteContinuation &&
    (await context.sources.isLocalOnly({ platform, type, method, accountId }));

  return {
    accountId,
    keyId: caller.keyId,
    request: {
      platform,
      type,
      method,
      query,
      maxResults,
      target,
      fromMs: start.fromMs,
      toMs: start.toMs,
      asOfMs: start.asOfMs,
      after: start.after,
      position: start.position ?? null,
      ...localOnly(isLocalOnly),
    },
    canonicalQuery,
    warnings: [...args.warnings, ...warnings],
  };
}

const localOnly = (isLocalOnly: boolean): Pick<SearchJobRequest, "isLocalOnly"> =>
  isLocalOnly ? { isLocalOnly } : {};

function noSearchNode(platform: SearchPlatform) {
  const scopeText = platform === "social" ? "any platform" : platform;
  return problem("source_unavailable", `no node that can search ${scopeText} is connected`, {
    hint: "connect one with earshot node; GET /v1/nodes lists the connected nodes",
  });
}

type Start = Window &
  Pick<SearchJobRequest, "after" | "asOfMs" | "position"> & { requestedBounds: RequestedBounds };

function getStart(
  context: HttpContext,
  { accountId }: Caller,
  { type, method, nextCursor, bounds, argumentsPointer }: CheckedArguments,
  search: { platform: SearchPlatform; canonicalQuery: string; firstWindow: Window; nowMs: number },
): Start {
  const { platform, canonicalQuery, firstWindow, nowMs } = search;
  if (nextCursor === null)
    return { ...firstWindow, asOfMs: nowMs, after: null, requestedBounds: bounds };
  const scope = { accountId, platform, type, method, canonicalQuery };
  return withPointer(`${argumentsPointer}/next_cursor`, () =>
    continueFrom(context, scope, nextCursor, bounds),
  );
}

export function diagnosticWarning({
  code,
  message,
  offset,
  length,
  hint,
}: Diagnostic): SourceWarning {
  return { code, message, offset, length, ...(hint === undefined ? {} : { hint }) };
}

/** No credential exists, and this type needs one to search more than the archive. */
const noCredential = (type: SourceType): SourceWarning => ({
  code: "no_credential",
  message: `no source of type ${type} is configured, so only the archive is searched`,
  hint: "add a credential for the platform with earshot credentials add",
});
