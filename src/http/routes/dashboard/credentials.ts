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
import { setRetryAfter } from "../../problems/refused-by-rate.ts";
import { problem } from "../../problems/write-problem.ts";
import { authorizationResponse, credentialPath, newCredential } from "../../schemas/credentials.ts";
import type { TypedApp } from "../typed-app.ts";

const config = { access: "session" as const };
const hide = { hide: true };
const path = "/dashboard/api/credentials";

export function addCredentialRoutes(
  app: TypedApp,
  { credentials, clock }: Pick<HttpContext, "credentials" | "clock">,
): void {
  const listing = (credential: Credential) => credentialListing(credential, clock.now());

  /** Errors: `too_many_attempts`. */
  function limitedAccount(request: FastifyRequest, reply: FastifyReply): string {
    const { accountId } = requireCaller(request);
    const waitMs = credentials.attempt(accountId);
    if (waitMs === 0) return accountId;
    const seconds = setRetryAfter(reply, waitMs);
    throw problem("too_many_attempts", "too many attempts by this account", {
      hint: `retry in ${seconds} s`,
    });
  }

  const getStep = (step: DialogueStep<Credential>): AuthorizationStep =>
    step.state === "done" ? { state: "done", credential: listing(step.made) } : step;

  app.route({
    method: "GET",
    url: path,
    config,
    schema: hide,
    handler: async (request): Promise<CredentialsResponse> => ({
      credentials: (await credentials.list(requireCaller(request).accountId)).map(listing),
      kinds: credentials.kinds.map(credentialKindListing),
    }),
  });

  app.route({
    method: "POST",
    url: path,
    config,
    schema: { ...hide, body: newCredential },
    handler: async (request, reply) => {
      const credential = await credentials.add(limitedAccount(request, reply), request.body);
      reply.code(201);
      return { credential: listing(credential) };
    },
  });

  app.route({
    method: "POST",
    url: `${path}/authorizations`,
    config,
    schema: { ...hide, body: newCredential },
    handler: async (request, reply) =>
      getStep(await credentials.authorize(limitedAccount(request, reply), request.body)),
  });

  app.route({
    method: "POST",
    url: `${path}/authorizations/:id`,
    config,
    schema: { ...hide, params: credentialPath, body: authorizationResponse },
    handler: async (request, reply) => {
      const { answer } = request.body;
      return getStep(
        await credentials.answer(limitedAccount(request, reply), request.params.id, answer),
      );
    },
  });

  app.route({
    method: "POST",
    url: `${path}/:id/test`,
    config,
    schema: { ...hide, params: credentialPath },
    handler: async (request, reply): Promise<CredentialTest> => {
      const outcome = await credentials.test(limitedAccount(request, reply), request.params.id);
      const { works, message: text, credential } = outcome;
      return { works, message: text, credential: listing(credential) };
    },
  });

  app.route({
    method: "DELETE",
    url: `${path}/:id`,
    config,
    schema: { ...hide, params: credentialPath },
    handler: async (request, reply) => {
      await credentials.remove(requireCaller(request).accountId, request.params.id);
      return reply.code(204).send();
    },
  });
}
