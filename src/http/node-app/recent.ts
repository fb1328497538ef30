import type { FastifyRequest } from "fastify";
import { failureOf } from "../../jobs/attempt-error.ts";
import { noBounds } from "../../jobs/job.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { AnswerRequest, SourceWarning, UnsearchedSpan } from "../../platforms/source.ts";
import { callerNoncePattern, jobOfNonce } from "../../remote/protocol/statement.ts";
import { parseSearchQuery } from "../../search/parse-search-query.ts";
import { withUnsearched } from "../../search/unsearched.ts";
import { preferredType } from "../answers/accept.ts";
import { jobErrorOf as jobFault } from "../answers/job-result.ts";
import { nodeField } from "../answers/node-fields.ts";
import { setKnowledgeFields } from "../answers/result-fields.ts";
import { clientDisconnect } from "../connections/client-disconnect.ts";
import { stopIdleTime } from "../connections/idle-time.ts";
import { problem } from "../problems/write-problem.ts";
import { recentBody, recentSubmissionOf, recentText } from "../routes/node/recent.ts";
import type { TypedApp } from "../routes/typed-app.ts";
import { noQuery, platformPath } from "../schemas/parameters.ts";
import { invalid } from "../schemas/validation.ts";
import { requireMethod } from "../submission/allowed-method.ts";
import { checkArguments, wordPathRules } from "../submission/checked-arguments.ts";
import { warningOf } from "../submission/new-job.ts";
import { requestedSpan, unsearchedOf } from "../submission/requested-span.ts";
import { platformOfWord } from "../submission/source-types.ts";
import { windowOf, windowWarnings } from "../submission/window.ts";
import type { DirectSearch, NodeAppContext } from "./context.ts";
import type { NodeCaller, NodeEntry } from "./entry.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Null where no caller is needed. */
    nodeCaller: NodeCaller | null;
  }
}

/** POST /api/v1/data/<platform>/tweets/recent of a node, signed with its attested keys. */
export function addNodeRecentRoute(
  app: TypedApp,
  context: NodeAppContext,
  enter: NodeEntry,
  stopping: AbortSignal,
): void {
  const { settings, clock, node } = context;
  let running = 0;

  app.route({
    method: "POST",
    url: "/api/v1/data/:platform/tweets/recent",
    schema: { params: platformPath, querystring: noQuery, body: recentBody },
    onRequest: async (request, reply) => {
      request.nodeCaller = await enter(request, reply);
    },
    handler: async (request, reply) => {
      const caller = request.nodeCaller;
      if (caller === null) throw problem("internal", "the caller was not authenticated");
      const { search: params, unsearched, warnings } = searchOf(context, caller, request);
      const signed = { uuid: signedForOf(request), request: params };
      const turn = caller.takeSearch(reply);
      if (running >= settings.concurrency) {
        turn.giveBack();
        throw problem("overloaded", "the node runs as many searches as it can");
      }
      running += 1;
      const ends = endsOf(context, [clientDisconnect(reply), stopping]);
      const startIdleTime = stopIdleTime(reply.raw, settings.idleTimeoutMs);
      try {
        const deadlineMs = clock.now() + settings.deadlineMs;
        const search: DirectSearch = {
          uuid: request.id,
          request: params,
          deadlineMs,
          signal: ends.signal,
        };
        const answer = await context.answer(search);
        reply.header("x-node", nodeField(node.id, node.evidence));
        setKnowledgeFields(reply, {
          ...withUnsearched(answer, unsearched),
          warnings: [...warnings, ...answer.warnings],
        });
        if (preferredType(request.headers.accept, answerTypes) === proofType) {
          const proof = await context.prove(signed, answer);
          return reply.type(`${proofType}; charset=utf-8`).send(JSON.stringify(proof));
        }
        const body = recentText(
          answer.items.map(({ record }) => record),
          node.id,
        );
        return reply.headers(context.sign(signed, answer, body)).send(body);
      } catch (error) {
        throw publicError(context, request.id, ends.signal, error);
      } finally {
        running -= 1;
        startIdleTime();
        ends.stop();
      }
    },
  });
}

/** Requests a proof, as `earshot verify` reads it. */
const proofType = "application/vnd.earshot.proof+json";
const answerTypes = ["application/json", proofType] as const;

/** The caller's nonce, else the request id. Errors: `invalid_request`. */
function signedForOf({ id, headers }: Pick<FastifyRequest, "id" | "headers">): string {
  const nonce = headers["earshot-nonce"];
  if (nonce === undefined) return id;
  if (typeof nonce === "string" && callerNoncePattern.test(nonce)) return jobOfNonce(nonce);
  throw invalid(
    [
      {
        code: "invalid_value",
        message: "expected 22 to 64 characters of base64url",
        hint: "create a new one for each request, such as with `openssl rand 32 | basenc --base64url | tr -d =`",
        pointer: "/earshot-nonce",
      },
    ],
    "field Earshot-Nonce",
  );
}

function searchOf(
  { settings, nowMs }: NodeAppContext,
  caller: NodeCaller,
  {
    body,
    params,
  }: { body: Parameters<typeof recentSubmissionOf>[0]; params: { platform: string } },
): {
  search: AnswerRequest;
  unsearched: UnsearchedSpan | null;
  warnings: readonly SourceWarning[];
} {
  const word = platformOfWord(params.platform) ?? "social";
  const request = checkArguments(word, recentSubmissionOf(body), wordPathRules);
  requireMethod(caller, request.method, null);
  const { platform, type, method, query, maxResults } = request;
  const { tree, warnings } = parseSearchQuery(query, { maxLength: settings.maxLiveQueryLength });
  const asOfMs = nowMs();
  const window = windowOf("searchbyquery", asOfMs, settings.liveWindowMs);
  const requested = requestedSpan(tree, noBounds, asOfMs);
  return {
    search: { platform, type, method, query, maxResults, ...window, asOfMs, after: null },
    unsearched: unsearchedOf(window, requested),
    warnings: [
      ...warnings.map(warningOf),
      ...request.warnings,
      ...windowWarnings(window, noBounds, requested),
    ],
  };
}

/** Aborts on disconnect, shutdown or deadline. */
function endsOf({ clock, settings }: NodeAppContext, others: readonly AbortSignal[]) {
  const ended = new AbortController();
  const late = new AbortController();
  clock.sleep(settings.deadlineMs, ended.signal).then(
    () => late.abort(problem("deadline_exceeded", "the time of the search ran out")),
    () => undefined,
  );
  return {
    signal: AbortSignal.any([...others, late.signal]),
    stop: () => ended.abort(over),
  };
}

/** Shared, because an abort without a reason creates an exception each time. */
const over = new Error("the search has ended");

/** Logs only the code of an internal error, and nothing of the query. */
function publicError(
  { log }: NodeAppContext,
  request_id: string,
  ends: AbortSignal,
  error: unknown,
) {
  if (ends.aborted) return ends.reason instanceof EarshotError ? ends.reason : stopped();
  if (error instanceof EarshotError && error.code === "gateway_unreachable") {
    return problem("unavailable", "the node is not attested for the moment and signs nothing");
  }
  log.warn({ request_id, code: failureOf(error).code }, "a search failed");
  return jobFault(failureOf(error));
}

const stopped = () =>
  new EarshotError("stopping", "the node stops", { status: 503, retryable: true });
