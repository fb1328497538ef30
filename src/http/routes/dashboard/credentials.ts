import type { FastifyReply, FastifyRequest } from "fastify";
import type { DialogueStep } from "../../../accounts/credentials/authorizations.ts";
import type { Credential } from "../../../platforms/credential.ts";
import type { HttpContext } from "../../context.ts";
import type {
  AuthorizationStep,
  CredentialsResponse,
  CredentialTest,
} from "../../dashboard/contract/credentials.ts";
import { credentialKindListing, credentialListing } from "../../dashboard/credential-listing.ts";
import { requireCaller } from "../../middleware/caller.ts";
import { setRetryAfter } from "../../problems/rate-limited.ts";
import { problem } from "../../problems/write-problem.ts";
import { authorizationResponse, credentialPath, newCredential } from "../../schemas/credentials.ts";
import type { TypedApp } from "../typed-app.ts";

const config = { access: "session" as const };
const hiddenSchema = { hide: true };
const path = "/dashboard/api/credentials";

export function addCredentialRoutes(
  app: TypedApp,
  { credentials, clock }: Pick<HttpContext, "credentials" | "clock">,
): void {
  const listing = (credential: Credential) => credentialListing(credential, clock.now());

  /** Errors: `too_many_attempts`. */
  function admitAttempt(request: FastifyRequest, reply: FastifyReply): string {
    const { accountId } = requireCaller(request);
    const waitMs = credentials.takeAttempt(accountId);
    if (waitMs === 0) return accountId;
    const seconds = setRetryAfter(reply, waitMs);
    throw problem("too_many_attempts", "too many attempts by this account", {
      hint: `retry in ${seconds} s`,
    });
  }

  const stepResponse = (step: DialogueStep<Credential>): AuthorizationStep =>
    step.state === "done" ? { state: "done", credential: listing(step.made) } : step;

  app.route({
    method: "GET",
    url: path,
    config,
    schema: hiddenSchema,
    handler: async (request): Promise<CredentialsResponse> => ({
      credentials: (await credentials.list(requireCaller(request).accountId)).map(listing),
      kinds: credentials.kinds.map(credentialKindListing),
    }),
  });

  app.route({
    method: "POST",
    url: path,
    config,
    schema: { ...hiddenSchema, body: newCredential },
    handler: async (request, reply) => {
      const credential = await credentials.add(admitAttempt(request, reply), request.body);
      reply.code(201);
      return { credential: listing(credential) };
    },
  });

  app.route({
    method: "POST",
    url: `${path}/authorizations`,
    config,
    schema: { ...hiddenSchema, body: newCredential },
    handler: async (request, reply) =>
      stepResponse(await credentials.authorize(admitAttempt(request, reply), request.body)),
  });

  app.route({
    method: "POST",
    url: `${path}/authorizations/:id`,
    config,
    schema: { ...hiddenSchema, params: credentialPath, body: authorizationResponse },
    handler: async (request, reply) => {
      const { answer } = request.body;
      return stepResponse(
        await credentials.answer(admitAttempt(request, reply), request.params.id, answer),
      );
    },
  });

  app.route({
    method: "POST",
    url: `${path}/:id/test`,
    config,
    schema: { ...hiddenSchema, params: credentialPath },
    handler: async (request, reply): Promise<CredentialTest> => {
      const outcome = await credentials.test(admitAttempt(request, reply), request.params.id);
      const { works, message: text, credential } = outcome;
      return { works, message: text, credential: listing(credential) };
    },
  });

  app.route({
    method: "DELETE",
    url: `${path}/:id`,
    config,
    schema: { ...hiddenSchema, params: credentialPath },
    handler: async (request, reply) => {
      await credentials.remove(requireCaller(request).accountId, request.params.id);
      return reply.code(204).send();
    },
  });
}
