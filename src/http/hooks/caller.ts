import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import type { LimitDecision } from "../../accounts/limiter.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problem-writer.ts";

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
    if (context.limiter.isBlocked(request.ip)) {
      context.metrics.rateLimited.inc({ policy: "failed_keys" });
      reply.header("retry-after", "60");
      throw problem("too_many_failed_keys", "too many requests with a wrong key came from here", {
        hint: "wait a minute and send a valid key",
      });
    }
    const caller = await identify(context, request);
    request.caller = caller;
    const decision =
      pace === "call"
        ? context.limiter.takeRequest(caller)
        : await context.limiter.waitForRequest(
            caller,
            context.settings.maxReadWaitMs,
            clientGone(reply),
          );
    if (!decision.allowed) throw refusedByRate(context, reply, decision);
  };
}

/** Tells the caller when to come again, and counts the refusal. */
export function refusedByRate(
  context: HttpContext,
  reply: FastifyReply,
  { policy, retryAfterMs }: Pick<LimitDecision, "policy" | "retryAfterMs">,
) {
  context.metrics.rateLimited.inc({ policy });
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  reply.header("retry-after", String(seconds));
  const what = policy === "burst" ? "requests a second" : "searches a minute";
  return problem("rate_limited", `the key's ${what} are used up`, {
    hint: `come again in ${seconds} s; RateLimit tells what is left`,
  });
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
  context.limiter.takeFailedAuth(request.ip);
  throw problem("unauthorized", "the API key is not valid", {
    hint: "check that the key is whole and was not revoked: Authorization: Bearer <API_KEY>",
  });
}

/** Aborts when the client closes the connection before its answer is whole. */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The caller of a route that needs a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw problem("internal", "the route has no pace and so no caller");
  return request.caller;
}
