import type { FastifyReply, FastifyRequest } from "fastify";
import { allScopes } from "../../accounts/grants/scopes.ts";
import { baseUrl } from "../dashboard/request-origin.ts";
import { hasBearerToken } from "../problems/write-problem.ts";

export const resourcePath = "/mcp";
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";

/** The audience of access tokens (RFC 8707). */
export const mcpResource = (request: FastifyRequest, publicUrl: string | null): string =>
  `${baseUrl(request, publicUrl)}${resourcePath}`;

/** Where to get an access token (RFC 9728, section 5.1). */
export function challenge(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string | null,
): void {
  const metadata = `${baseUrl(request, publicUrl)}${resourceMetadataPath}${resourcePath}`;
  // RFC 6750, section 3.1: a request without a token gets no error code.
  const error = hasBearerToken(request.headers.authorization) ? ', error="invalid_token"' : "";
  reply.header(
    "www-authenticate",
    `Bearer realm="earshot", resource_metadata="${metadata}", scope="${allScopes}"${error}`,
  );
}
