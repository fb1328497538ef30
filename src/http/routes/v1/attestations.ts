import type { HttpContext } from "../../context.ts";
import { problem } from "../../problems/write-problem.ts";
import { attestation, attestationPath, publishedPolicy } from "../../schemas/nodes.ts";
import { jsonResponse, problemResponses } from "../../schemas/responses.ts";
import type { TypedApp } from "../typed-app.ts";

const immutableCacheControl = "public, max-age=31536000, immutable";

export function addAttestationRoutes(app: TypedApp, { nodes }: Pick<HttpContext, "nodes">): void {
  app.route({
    method: "GET",
    url: "/v1/attestations/:id",
    schema: {
      operationId: "readAttestation",
      summary: "Fetch the evidence of a node",
      description:
        "A node's statement, its evidence and the collateral to verify it. Stored a week longer than the results signed with its keys.",
      tags: ["attestation"],
      params: attestationPath,
      response: {
        200: jsonResponse("The attestation.", attestation),
        ...problemResponses({
          404: "The attestation does not exist or has been deleted.",
          503: "The store is temporarily unavailable.",
        }),
      },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const attestation = idPattern.test(id) ? await nodes.attestation(id) : null;
      if (attestation === null) throw problem("attestation_not_found", "attestation not found");
      return reply
        .header("cache-control", immutableCacheControl)
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(attestation));
    },
  });
  app.route({
    method: "GET",
    url: "/v1/attestation/policy",
    schema: {
      operationId: "readAttestationPolicy",
      summary: "Read the attestation policy",
      tags: ["attestation"],
      response: { 200: jsonResponse("The policy in force.", publishedPolicy) },
    },
    handler: async (_request, reply) =>
      reply
        .header("cache-control", "public, max-age=60")
        .type("application/json; charset=utf-8")
        .send(JSON.stringify(nodes.policy())),
  });
}

/** A SHA-256 hash in base64url; other texts never reach the store. */
const idPattern = /^[A-Za-z0-9_-]{43}$/;
