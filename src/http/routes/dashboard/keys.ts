import type { FastifyRequest } from "fastify";
import type { CreatedOwnKey, KeyChoice } from "../../../accounts/keys/own-operations.ts";
import type { OwnKey } from "../../../accounts/keys/read-keys.ts";
import type { HttpContext } from "../../context.ts";
import type {
  KeyListingResponse,
  KeysResponse,
  NewKeyResponse,
} from "../../dashboard/contract/keys.ts";
import { readKeyChoice } from "../../dashboard/key-choice.ts";
import { keyListings } from "../../dashboard/key-listing.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { problem } from "../../problems/write-problem.ts";
import { keyChange, keyPath, keyRotation, newKey } from "../../schemas/keys.ts";
import type { TypedApp } from "../typed-app.ts";

const config = { access: "session" as const };
const hiddenSchema = { hide: true };
const path = "/dashboard/api/keys";

const hourMs = 3_600_000;
const endedVisibleMs = 30 * 24 * hourMs;

type KeyContext = Pick<HttpContext, "accounts" | "limiter" | "clock" | "settings">;

export function addKeyRoutes(app: TypedApp, context: KeyContext): void {
  const { accounts, clock } = context;

  app.route({
    method: "GET",
    url: path,
    config,
    schema: hiddenSchema,
    handler: async (request): Promise<KeysResponse> => {
      const { accountId } = requireCaller(request);
      const { limits, maxKeysPerAccount } = context.settings;
      const endedSinceMs = clock.now() - endedVisibleMs;
      const [keys, effectiveLimits] = await Promise.all([
        accounts.read("listOwnKeys", { accountId, limits, endedSinceMs }),
        accounts.read("accountLimits", { accountId, limits }),
      ]);
      return {
        keys: await keyListings(context.limiter, keys, clock.now()),
        max_keys: maxKeysPerAccount,
        limits: {
          requests_per_second: effectiveLimits.requestsPerSecond,
          submissions_per_minute: effectiveLimits.submissionsPerMinute,
        },
      };
    },
  });

  app.route({
    method: "POST",
    url: path,
    config,
    schema: { ...hiddenSchema, body: newKey },
    handler: async (request, reply): Promise<NewKeyResponse> => {
      const created = await accounts.write("createOwnKey", {
        ...ownerParams(context, request),
        ...unrestrictedChoice,
        ...readKeyChoice(request.body),
        name: request.body.name,
        ...keyLimits(context),
      });
      reply.code(201);
      return await newKeyResponse(context, created);
    },
  });

  app.route({
    method: "POST",
    url: `${path}/first`,
    config,
    schema: hiddenSchema,
    handler: async (request, reply): Promise<NewKeyResponse> => {
      const created = await accounts.write("issueFirstKey", {
        ...ownerParams(context, request),
        ...keyLimits(context),
      });
      reply.code(201);
      return await newKeyResponse(context, created);
    },
  });

  app.route({
    method: "PATCH",
    url: `${path}/:id`,
    config,
    schema: { ...hiddenSchema, params: keyPath, body: keyChange },
    handler: async (request): Promise<{ key: KeyListingResponse }> => {
      const key = await accounts.write("changeKey", {
        ...ownerParams(context, request),
        id: request.params.id,
        changes: readKeyChoice(request.body),
      });
      return { key: await getListing(context, key) };
    },
  });

  app.route({
    method: "POST",
    url: `${path}/:id/rotate`,
    config,
    schema: { ...hiddenSchema, params: keyPath, body: keyRotation },
    handler: async (request, reply): Promise<NewKeyResponse> => {
      const { accountId, limits, nowMs } = ownerParams(context, request);
      const { id, token } = await accounts.write("rotateKey", {
        id: request.params.id,
        actor: { accountId },
        overlapMs: request.body.overlap_hours * hourMs,
        newPerDay: context.settings.newKeysPerDay,
        nowMs,
      });
      const key = await accounts.read("findOwnKey", { accountId, id, limits });
      if (key === null) throw problem("key_not_found", "the key has been deleted");
      reply.code(201);
      return await newKeyResponse(context, { key, token });
    },
  });

  app.route({
    method: "DELETE",
    url: `${path}/:id`,
    config,
    schema: { ...hiddenSchema, params: keyPath },
    handler: async (request, reply) => {
      const { accountId, nowMs } = ownerParams(context, request);
      await accounts.write("revokeKey", { id: request.params.id, actor: { accountId }, nowMs });
      return reply.code(204).send();
    },
  });
}

const unrestrictedChoice: Omit<KeyChoice, "name"> = {
  methods: null,
  requestsPerSecond: null,
  submissionsPerMinute: null,
  expiresMs: null,
};

function ownerParams({ settings, clock }: KeyContext, request: FastifyRequest) {
  const { requestsPerSecond, submissionsPerMinute } = settings.limits;
  const limits = { requestsPerSecond, submissionsPerMinute };
  return { accountId: requireCaller(request).accountId, limits, nowMs: clock.now() };
}

function keyLimits({ settings }: KeyContext) {
  return { maxKeys: settings.maxKeysPerAccount, newPerDay: settings.newKeysPerDay };
}

async function newKeyResponse(
  context: KeyContext,
  { key, token }: CreatedOwnKey,
): Promise<NewKeyResponse> {
  return { key: await getListing(context, key), token };
}

async function getListing(
  { limiter, clock }: KeyContext,
  key: OwnKey,
): Promise<KeyListingResponse> {
  const [listing] = await keyListings(limiter, [key], clock.now());
  if (listing === undefined) throw problem("internal", "the new key is missing from the list");
  return listing;
}
