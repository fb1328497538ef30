import type { FastifyInstance } from "fastify";
import { grantableMethods } from "../../../accounts/grants/scopes.ts";
import type { HttpContext } from "../../context.ts";
import { baseUrl } from "../../dashboard/request-origin.ts";
import { mcpResource, resourceMetadataPath, resourcePath } from "../../oauth/resource.ts";

const schema = { hide: true };
const cacheHeaders = { "cache-control": "public, max-age=300" };

/** Metadata of RFC 9728 and RFC 8414. */
export function addOauthMetadataRoutes(
  app: FastifyInstance,
  { settings: { publicUrl } }: Pick<HttpContext, "settings">,
): void {
  for (const url of [resourceMetadataPath, `${resourceMetadataPath}${resourcePath}`]) {
    app.route({
      method: "GET",
      url,
      schema,
      handler: async (request, reply) => {
        reply.headers(cacheHeaders);
        return {
          resource: mcpResource(request, publicUrl),
          resource_name: "Earshot",
          resource_documentation: `${baseUrl(request, publicUrl)}/docs/mcp`,
          authorization_servers: [baseUrl(request, publicUrl)],
          scopes_supported: grantableMethods,
          bearer_methods_supported: ["header"],
        };
      },
    });
  }
  app.route({
    method: "GET",
    url: "/.well-known/oauth-authorization-server",
    schema,
    handler: async (request, reply) => {
      reply.headers(cacheHeaders);
      const issuer = baseUrl(request, publicUrl);
      return {
        issuer,
        authorization_endpoint: `${issuer}/dashboard/connect`,
        token_endpoint: `${issuer}/oauth/token`,
        token_endpoint_auth_methods_supported: ["none"],
        revocation_endpoint: `${issuer}/oauth/revoke`,
        revocation_endpoint_auth_methods_supported: ["none"],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        scopes_supported: grantableMethods,
        service_documentation: `${issuer}/docs/mcp`,
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      };
    },
  });
}
