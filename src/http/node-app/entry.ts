import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { hashSecret, keyOfAuthorization } from "../../accounts/api-key.ts";
import { createFailedKeys } from "../../accounts/failed-keys.ts";
import { createKeyRates, type RatedKey } from "../../accounts/key-rates.ts";
import { rateLimitFields } from "../../accounts/rate-limit-fields.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Method } from "../../platforms/methods.ts";
import { base64 } from "../../remote/protocol/encoding.ts";
import type { IntrospectAnswer } from "../../remote/protocol/messages.ts";
import { accountSuspended, tooManyFailedKeys, unauthorized } from "../middleware/caller.ts";
import { rateRefusal } from "../problems/refused-by-rate.ts";
import { problem } from "../problems/write-problem.ts";
import type { NodeAppContext } from "./context.ts";

/** As introspected at the gateway. */
export type NodeCaller = {
  methods: readonly Method[] | null;
  /** Errors: `rate_limited`. */
  takeSearch(reply: FastifyReply): { giveBack(): void };
};

export type NodeEntry = (request: FastifyRequest, reply: FastifyReply) => Promise<NodeCaller>;

/**
 * Authenticates keys at the gateway and rate-limits them here: use elsewhere is unknown. Errors: those of a key at the gateway,
 * and `unavailable` if it cannot be reached.
 */
export function createNodeEntry(context: NodeAppContext): NodeEntry {
  const { clock, settings } = context;
  const failedKeys = createFailedKeys();
  const rates = createKeyRates();
  const { openNodeKey, failedKeysPerMinute } = settings;
  const openAuthorization = openNodeKey === null ? undefined : `Bearer ${openNodeKey}`;

  async function introspected(
    authorization: string | undefined,
    address: string,
  ): Promise<IntrospectAnswer> {
    if (authorization === undefined) return { status: "unknown" };
    const key = keyOfAuthorization(authorization);
    const answer: IntrospectAnswer =
      key === null
        ? { status: "unknown" }
        : await params(context, key.id, base64(hashSecret(key.secret)));
    if (answer.status === "unknown") {
      const presentedHash = hash("sha256", authorization, "base64");
      failedKeys.note(address, presentedHash, failedKeysPerMinute, clock.elapsed());
    }
    return answer;
  }

  function requireUnblocked(address: string, reply: FastifyReply): void {
    const blockedMs = failedKeys.blockedMs(address, failedKeysPerMinute, clock.elapsed());
    if (blockedMs > 0) throw tooManyFailedKeys(reply, blockedMs);
  }

  return async (request, reply) => {
    const { callerAddress } = request;
    requireUnblocked(callerAddress, reply);
    const authorization = request.headers.authorization ?? openAuthorization;
    const answer = await introspected(authorization, callerAddress);
    if (answer.status !== "active") {
      throw answer.status === "suspended"
        ? accountSuspended()
        : unauthorized(authorization, "a key of the gateway is valid here");
    }
    // Concurrent guesses are all checked before the first failure counts.
    requireUnblocked(callerAddress, reply);
    const key: RatedKey = {
      keyId: answer.rates_key,
      requestsPerSecond: answer.requests_per_second,
      submissionsPerMinute: answer.submissions_per_minute,
    };
    const setRateFields = () => reply.headers(rateLimitFields(rates.state(key, clock.elapsed())));

    const turn = rates.takeRequest(key, 0, clock.elapsed());
    setRateFields();
    if (!turn.allowed) throw rateRefusal(reply, { policy: "burst", retryAfterMs: turn.waitMs });

    return {
      methods: answer.methods,
      takeSearch: () => {
        const countedMs = clock.elapsed();
        const { allowed, waitMs } = rates.takeSubmission(key, countedMs);
        setRateFields();
        if (!allowed) throw rateRefusal(reply, { policy: "search", retryAfterMs: waitMs });
        return {
          giveBack: () => {
            rates.giveBackSubmission(key, countedMs);
            setRateFields();
          },
        };
      },
    };
  };
}

async function params(
  { introspect }: NodeAppContext,
  keyId: string,
  secretSha256: string,
): Promise<IntrospectAnswer> {
  try {
    return await introspect(keyId, secretSha256);
  } catch (error) {
    if (!(error instanceof EarshotError)) throw error;
    throw problem(
      "unavailable",
      "the gateway, which knows the keys, cannot be asked about this one",
      {
        hint: "send the same request again after Retry-After, or search at the gateway",
      },
    );
  }
}
