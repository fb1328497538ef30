import { AsyncLocalStorage } from "node:async_hooks";
import type { FastifyInstance, FastifyReply, FastifyRequest, InjectOptions } from "fastify";
import type { Caller } from "../../accounts/authenticate.ts";
import { accessToken } from "../../accounts/grants/grant-tokens.ts";
import type {
  Admission,
  AdmissionParams,
  LimitState,
  RecalledAdmission,
  SubmissionDecision,
} from "../../accounts/limiter.ts";
import { clientDisconnect } from "../connections/client-disconnect.ts";
import type { HttpContext } from "../context.ts";
import { baseUrl } from "../dashboard/request-origin.ts";
import { challenge, mcpResource } from "../oauth/resource.ts";
import { rateLimitedProblem, setRetryAfter } from "../problems/rate-limited.ts";
import { hasBearerToken, problem } from "../problems/write-problem.ts";
import { type DashboardAccess, isDashboardAccess, sessionAdmission } from "./session.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
    /** When the caller was last checked, in elapsed time. */
    admittedAtMs: number;
    limits: LimitState | null;
    /** The search counted on admission; null once used. */
    countedSearch: SubmissionDecision | null;
    /** Set if the request is admitted with its search; `caller` is then the one admitted last. */
    pendingAdmission: CallerAdmission | null;
  }
  interface FastifyContextConfig {
    access?: "call" | "read" | DashboardAccess;
    /**
     * Accepts access tokens, and delays requests beyond the rate: clients send several when they
     * connect.
     */
    isMcp?: boolean;
    /** Requests without a key use EARSHOT_OPEN_NODE_KEY, if set. */
    canOmitKey?: boolean;
    /** Also counts as a search. */
    isSubmission?: boolean;
    /** With EARSHOT_DATABASE_URL, `submit` admits recently admitted callers. */
    isAdmittedWithSearch?: boolean;
    /** Problems also contain the submitted job's `uuid`, or an empty one. */
    refusalHasUuid?: boolean;
  }
}

type CallerAdmission = {
  recalledAdmission: RecalledAdmission;
  /** Errors: those of `callerHook`. */
  admit(): Promise<void>;
};

/**
 * Identifies the caller by key, else by session; applies rate limits in the same store call. Beyond
 * the limit, reads of the caller's own jobs and requests to `/mcp` are delayed; others are
 * rejected, so that they cannot keep connections open. Runs before the body is read, so that
 * unauthenticated bodies cost nothing.
 */
export function callerHook(context: HttpContext) {
  const { dashboard, limiter, metrics, settings } = context;
  const admitBySession = sessionAdmission(context);
  const { openNodeKey } = settings;
  const keyHint = (request: FastifyRequest): string =>
    dashboard.signIn.providers.length === 0
      ? "create a key with earshot keys create --name NAME"
      : `sign in at ${baseUrl(request, settings.publicUrl)}/dashboard to get a key`;
  const openAuthorization = openNodeKey === null ? undefined : `Bearer ${openNodeKey}`;

  async function applyAdmission(
    request: FastifyRequest,
    reply: FastifyReply,
    admission: Admission,
  ): Promise<void> {
    const { isMcp = false } = request.routeOptions.config;
    if (admission.kind === "blocked") {
      metrics.rateLimited.inc({ policy: "failed_keys" });
      throw tooManyFailedKeys(reply, admission.retryAfterMs);
    }
    if (admission.kind === "unknown") {
      if (isMcp) challenge(request, reply, settings.publicUrl);
      throw unauthorized(request.headers.authorization, keyHint(request), isMcp);
    }
    if (admission.kind === "suspended") throw accountSuspended();
    recordAdmission(request, admission, context.clock.elapsed());
    if (admission.kind === "refused") {
      const { retryAfterMs } = admission;
      throw rateLimitedProblem(context, reply, { policy: "burst", retryAfterMs });
    }
    const { waitMs } = admission;
    // The client has disconnected.
    if (waitMs > 0 && !(await waitUnlessDisconnected(context, reply, waitMs))) reply.hijack();
  }

  function deferAdmission(
    request: FastifyRequest,
    reply: FastifyReply,
    params: AdmissionParams,
    recalledAdmission: RecalledAdmission,
  ): void {
    request.caller = recalledAdmission.caller;
    request.admittedAtMs = context.clock.elapsed();
    const admit = async (): Promise<void> => {
      if (request.pendingAdmission === null) return;
      request.pendingAdmission = null;
      request.caller = null;
      await applyAdmission(request, reply, await limiter.admit(params));
    };
    request.pendingAdmission = { recalledAdmission, admit };
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const {
      access,
      canOmitKey = false,
      isMcp = false,
      isSubmission = false,
      isAdmittedWithSearch = false,
    } = request.routeOptions.config;
    if (access === undefined) return;
    const parentRequest = outerRequest();
    if (parentRequest !== null) {
      request.caller = parentRequest.caller;
      request.admittedAtMs = parentRequest.admittedAtMs;
      request.limits = parentRequest.limits;
      return;
    }
    const { authorization, "idempotency-key": idempotencyKey } = request.headers;
    const readOf = access === "read" ? uuidIn(request.params) : null;
    const admission = hasNoKey(request, access)
      ? await admitBySession(request, reply, readOf)
      : null;
    if (admission !== null) return await applyAdmission(request, reply, admission);
    if (access === "visitor") return;
    const params: AdmissionParams = {
      address: request.callerAddress,
      authorization: authorization ?? (canOmitKey ? openAuthorization : undefined),
      resource: isMcp ? mcpResource(request, settings.publicUrl) : null,
      mayWait: isMcp,
      readOf,
      maxWaitMs: settings.maxReadWaitMs,
      isSubmission,
    };
    const canDefer = isAdmittedWithSearch && idempotencyKey === undefined;
    const recalledAdmission = canDefer ? limiter.recall(params) : null;
    if (recalledAdmission !== null)
      return deferAdmission(request, reply, params, recalledAdmission);
    await applyAdmission(request, reply, await limiter.admit(params));
  };
}

export function recordAdmission(
  request: FastifyRequest,
  admission: Extract<Admission, { caller: Caller }>,
  elapsedMs: number,
): void {
  request.caller = admission.caller;
  request.admittedAtMs = elapsedMs;
  request.limits = admission.limits;
  if (admission.kind === "admitted") request.countedSearch = admission.search;
}

/** A key takes precedence over cookies, except on the dashboard's paths. */
function hasNoKey(request: FastifyRequest, access: string): boolean {
  return request.headers.authorization === undefined || isDashboardAccess(access);
}

async function waitUnlessDisconnected(
  { clock }: HttpContext,
  reply: FastifyReply,
  waitMs: number,
): Promise<boolean> {
  const disconnectSignal = clientDisconnect(reply);
  try {
    await clock.sleep(Math.ceil(waitMs), disconnectSignal);
    return true;
  } catch (error) {
    if (disconnectSignal.aborted) return false;
    throw error;
  }
}

function uuidIn(params: unknown): string | null {
  return typeof params === "object" && params !== null && "uuid" in params
    ? String(params.uuid)
    : null;
}

function tooManyFailedKeys(reply: FastifyReply, retryAfterMs: number) {
  const seconds = setRetryAfter(reply, retryAfterMs);
  return problem("too_many_failed_keys", "too many invalid keys from this address", {
    hint: `retry in ${seconds} s with a valid key`,
  });
}

function unauthorized(authorization: string | undefined, keyHint: string, isMcp = false) {
  if (accessToken.parseAuthorization(authorization ?? "") !== null) {
    return problem("unauthorized", "invalid access token", {
      hint: isMcp
        ? "refresh it, or connect again: it has expired, was revoked or is for another server"
        : "send an API key: Authorization: Bearer <API_KEY>; access tokens are for /mcp only",
    });
  }
  return hasBearerToken(authorization)
    ? problem("unauthorized", "invalid API key", {
        hint: "check that the key is complete, not expired and not revoked: Authorization: Bearer <API_KEY>",
      })
    : problem("unauthorized", "an API key is required", {
        hint: `send the header Authorization: Bearer <API_KEY>; ${keyHint}`,
      });
}

function accountSuspended() {
  return problem("account_suspended", "the key's account is suspended", {
    hint: "contact the operator of this server",
  });
}

export function requireCaller(request: FastifyRequest): Caller {
  if (request.caller === null) throw problem("internal", "the route does not identify the caller");
  return request.caller;
}

const parentRequests = new AsyncLocalStorage<FastifyRequest>();

export const outerRequest = (): FastifyRequest | null => parentRequests.getStore() ?? null;

/** Sends a request on behalf of another's caller, whose rate limits cover both. */
export async function injectForCaller(
  app: FastifyInstance,
  request: FastifyRequest,
  innerOptions: InjectOptions,
): Promise<{ status: number; text: string }> {
  const remoteAddress = request.callerAddress;
  // Awaited inside `run`: Fastify sends an injected request when it is awaited.
  const response = await parentRequests.run(
    request,
    async () => await app.inject({ ...innerOptions, remoteAddress }),
  );
  return { status: response.statusCode, text: response.body };
}
