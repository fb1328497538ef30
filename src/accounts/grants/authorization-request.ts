import { EarshotError } from "../../lib/errors.ts";
import type { Method } from "../../platforms/methods.ts";
import { isRegistered, readRedirectUri, withParameters } from "./redirect-uri.ts";
import { methodsInScope } from "./scopes.ts";

export type RequestHead = {
  clientId: string;
  redirectUri: string;
  state: string | null;
  parameters: URLSearchParams;
};

export type AuthorizationRequest = {
  codeChallenge: string;
  resource: string;
  methods: readonly Method[];
};

export type RequestRefusal = { error: string; description: string };

const maxQueryLength = 8_192;
const maxStateLength = 2_048;

/**
 * Errors: `invalid_authorization_request`. They are never sent to the redirect URI, which may be an
 * attacker's.
 */
export function readRequestHead(query: string): RequestHead {
  if (query.length > maxQueryLength) throw invalidRequest("the query is too long");
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    // Even `resource`, which RFC 8707 lets repeat.
    if (parameters.getAll(name).length > 1) throw invalidRequest(`${quoteName(name)} is repeated`);
  }
  const clientId = parameters.get("client_id") ?? "";
  const redirectUri = parameters.get("redirect_uri") ?? "";
  const state = parameters.get("state");
  if (clientId === "") throw invalidRequest("client_id is required");
  if (readRedirectUri(redirectUri) === null) {
    throw invalidRequest("redirect_uri must be an HTTPS URL, or an HTTP URL on localhost");
  }
  if (state !== null && state.length > maxStateLength) throw invalidRequest("state is too long");
  return { clientId, redirectUri, state, parameters };
}

/** Errors: `invalid_authorization_request`. */
export function requireRegistered(registeredUris: readonly string[], redirectUri: string): void {
  if (isRegistered(registeredUris, redirectUri)) return;
  throw invalidRequest("redirect_uri is not listed in the client's metadata document");
}

/** `resource` is the only supported resource. */
export function readAuthorizationRequest(
  { parameters }: RequestHead,
  resource: string,
): AuthorizationRequest | RequestRefusal {
  if (parameters.get("response_type") !== "code") {
    return refusal("unsupported_response_type", "response_type must be code");
  }
  const mode = parameters.get("response_mode") ?? "query";
  if (mode !== "query") return refusal("invalid_request", "response_mode must be query");
  if (parameters.has("request") || parameters.has("request_uri")) {
    return refusal("request_not_supported", "request objects are not supported");
  }
  const codeChallenge = parameters.get("code_challenge") ?? "";
  if (!/^[\w-]{43}$/.test(codeChallenge)) {
    return refusal("invalid_request", "code_challenge is required: PKCE with SHA-256");
  }
  if (parameters.get("code_challenge_method") !== "S256") {
    return refusal("invalid_request", "code_challenge_method must be S256");
  }
  if (!isResource(parameters.get("resource") ?? resource, resource)) {
    return refusal("invalid_target", `resource must be ${resource}`);
  }
  const methods = methodsInScope(parameters.get("scope"));
  if (methods.length === 0) return refusal("invalid_scope", "none of the scopes is supported");
  return { codeChallenge, resource, methods };
}

/** Ignores case in the scheme and the host. */
export function isResource(requestedResource: string, resource: string): boolean {
  if (requestedResource === resource) return true;
  return (
    !requestedResource.includes("#") &&
    URL.parse(requestedResource)?.href === URL.parse(resource)?.href
  );
}

/** A redirect (RFC 6749) with the issuer (RFC 9207). */
export function responseLocation(
  { redirectUri, state }: Pick<RequestHead, "redirectUri" | "state">,
  issuer: string,
  outcome: { code: string } | RequestRefusal,
): string {
  const answerParameters =
    "code" in outcome
      ? { code: outcome.code }
      : { error: outcome.error, error_description: outcome.description };
  return withParameters(redirectUri, { ...answerParameters, state, iss: issuer });
}

const refusal = (error: string, description: string): RequestRefusal => ({ error, description });

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 40));

function invalidRequest(reason: string): EarshotError {
  return new EarshotError(
    "invalid_authorization_request",
    `invalid authorization request: ${reason}`,
    { status: 400, hint: "start again in the app, or report it to its developer" },
  );
}
