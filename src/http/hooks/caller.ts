import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { LimitDecision } from "../../accounts/limiter.ts";
import { clientGone } from "../client-gone.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problem-writer.ts";
import { refusedByRate, setRetryAfter } from "../refused-by-rate.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose key the request names; null where none is needed. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** What the key's rate does with a request too many: `call` refuses it, `read` lets it wait for its turn. */
    pace?: "call" | "read";
    /** Refusals of this route also hold `uuid: ""`. */
    refusalHoldsUuid?: boolean;
  }
}

/**
 * Who calls, and whether it is the key's turn: wrong keys of the address first, then the key, then its requests a second. It
 * runs before the body is read, so that a stranger's body costs nothing.
 */
export function callerHook(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { pace } = request.routeOptions.config;
    if (pace === undefined) return;
    const blockedMs = context.limiter.blockedMs(request.ip);
    if (blockedMs > 0) {
      context.metrics.rateLimited.inc({ policy: "failed_keys" });
      const seconds = setRetryAfter(reply, blockedMs);
      throw problem("too_many_failed_keys", "too many requests with a wrong key came from here", {
        hint: `come again in ${seconds} s with a valid key`,
      });
    }
    const caller = await identify(context, request);
    request.caller = caller;
    const gone = clientGone(reply);
    const decision =
      pace === "call"
        ? context.limiter.takeRequest(caller)
        : await takeRead(context, request, caller, gone);
    if (decision === null) {
      // Nobody is there to be answered.
      reply.hijack();
      return;
    }
    if (!decision.allowed) throw refusedByRate(context, reply, decision);
  };
}

/**
 * A read of one's own job waits for its turn when the second is used up; one of anything else is refused at once, so that
 * nobody holds requests open by asking for what is not there. Null when the client has gone while it waited.
 */
async function takeRead(
  context: HttpContext,
  { params }: FastifyRequest,
  caller: Caller,
  gone: AbortSignal,
): Promise<LimitDecision | null> {
  const { limiter, jobs, settings } = context;
  const decision = limiter.takeRequest(caller);
  if (decision.allowed) return decision;
  const uuid = uuidIn(params);
  const isOwn =
    jobs.isUnderWay(caller.accountId, uuid) || (await jobs.find(caller.accountId, uuid)) !== null;
  if (!isOwn) return decision;
  try {
    return await limiter.waitForRequest(caller, settings.maxReadWaitMs, gone);
  } catch (error) {
    if (gone.aborted) return null;
    throw error;
  }
}

function uuidIn(params: unknown): string {
  return typeof params === "object" && params !== null && "uuid" in params
    ? String(params.uuid)
    : "";
}

async function identify(context: HttpContext, request: FastifyRequest): Promise<Caller> {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw problem("unauthorized", "an API key is needed", {
      hint: "send the header Authorization: Bearer <API_KEY>; earshot keys create makes a key",
    });
  }
  const token = /^bearer +([^\s]+) *$/i.exec(header)?.[1];
  const caller = token === undefined ? null : await context.authenticate(token);
  if (caller !== null) return caller;
  context.limiter.takeFailedAuth(request.ip, header);
  throw problem("unauthorized", "the API key is not valid", {
    hint: "check that the key is whole and was not revoked: Authorization: Bearer <API_KEY>",
  });
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw problem("internal", "the route has no pace and so no caller");
  return request.caller;
}
