import type { HttpContext } from "../../context.ts";
import { problem } from "../../problems/write-problem.ts";
import { jsonAnswer, problemAnswers } from "../../schemas/answers.ts";
import { attestation, attestationPath, publishedPolicy } from "../../schemas/nodes.ts";
import type { TypedApp } from "../typed-app.ts";

/** Attestations are immutable. */
const forever = "public, max-age=31536000, immutable";

/** GET /v1/attestations/<id> and GET /v1/attestation/policy. */
export function addAttestationRoutes(app: TypedApp, { nodes }: Pick<HttpContext, "nodes">): void {
  app.route({
    method: "GET",
    url: "/v1/attestations/:id",
    schema: {
      operationId: "readAttestation",
      summary: "What a node has shown for itself",
      description:
        "The statement of a node with its evidence and what is needed to verify it. It is kept some days longer than the results that its keys have signed.",
      tags: ["attestation"],
      params: attestationPath,
      response: {
        200: jsonAnswer("The attestation.", attestation),
        ...problemAnswers({
          404: "There is no such attestation, or it is not kept any more.",
          503: "The store is temporarily unavailable.",
        }),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const found = isId.test(id) ? await nodes.attestation(id) : null;
      if (found === null) throw problem("attestation_not_found", "there is no such attestation");
      return reply
        .header("cache-control", forever)
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(found));
    },
  });
  app.route({
    method: "GET",
    url: "/v1/attestation/policy",
    schema: {
      operationId: "readAttestationPolicy",
      summary: "What nodes have to show",
      tags: ["attestation"],
      response: { 200: jsonAnswer("The policy in force.", publishedPolicy) },
    },
    handler: async (_request, reply) =>
      reply
        .header("cache-control", "public, max-age=60")
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(nodes.policy())),
  });
}

/** A base64url SHA-256; other texts never reach the store. */
const isId = /^[A-Za-z0-9_-]{43}$/;
