import * as z from "zod";
import { EarshotError } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { isOneVisibleLine } from "../keys/key.ts";
import { readRedirectUri } from "./redirect-uri.ts";

/** Errors: `client_not_accepted`. */
export type FetchClientDocument = (clientId: string) => Promise<ClientDocument>;

export const clientFetchLimits = { timeoutMs: 5_000, maxBytes: 32_768, maxRedirects: 0 };

export function createFetchClientDocument(fetch: GuardedFetch): FetchClientDocument {
  return async (clientId) => {
    const url = requireClientUrl(clientId);
    try {
      const response = await fetch(url, { headers: { accept: "application/json" } });
      if (response.status !== 200) throw fetchFailed(`${url.host} returned ${response.status}`);
      return readClientDocument(clientId, response.json());
    } catch (error) {
      if (!(error instanceof EarshotError) || error.code === "client_not_accepted") throw error;
      throw fetchFailed(error.message);
    }
  };
}

const fetchFailed = (reason: string): EarshotError =>
  clientNotAccepted(
    `cannot fetch the client's metadata document: ${reason}`,
    "retry, and check that the client's URL is correct and public",
  );

/** See draft-ietf-oauth-client-id-metadata-document-00. */
type ClientDocument = {
  clientId: string;
  name: string;
  redirectUris: readonly string[];
};

const maxIdLength = 512;
const maxNameLength = 100;

const documentSchema = z.object({
  client_id: z.string(),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(maxNameLength)
    .refine(isOneVisibleLine, "must be one line of visible characters"),
  redirect_uris: z
    .array(
      z
        .string()
        .refine((uri) => readRedirectUri(uri) !== null, "must be HTTPS, or HTTP on localhost"),
    )
    .min(1)
    .max(50),
  token_endpoint_auth_method: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});

/**
 * Requires a normalised HTTPS URL with a path, but without a query, fragment or credentials.
 * Errors: `client_not_accepted`.
 */
export function requireClientUrl(clientId: string): URL {
  const url = clientId.length > maxIdLength ? null : URL.parse(clientId);
  const isCanonical =
    url?.href === clientId &&
    url.protocol === "https:" &&
    url.pathname !== "/" &&
    `${url.search}${url.hash}${url.username}${url.password}` === "" &&
    !/[?#]$/.test(clientId);
  if (url !== null && isCanonical) return url;
  throw clientNotAccepted(
    "client_id must be the HTTPS URL of a client metadata document",
    "use a client that supports client ID metadata documents, or one that sends an API key",
  );
}

/** Errors: `client_not_accepted`. */
export function readClientDocument(clientId: string, json: unknown): ClientDocument {
  const { data, error } = documentSchema.safeParse(json);
  if (data === undefined) {
    const [issue] = error.issues;
    throw invalidDocument(`${issue?.path.join("/") || "the document"}: ${issue?.message}`);
  }
  if (data.client_id !== clientId)
    throw invalidDocument("client_id must be the document's own URL");
  const methods = data.token_endpoint_auth_methods_supported ?? [];
  const isPublic = (data.token_endpoint_auth_method ?? "none") === "none";
  if (!isPublic && !methods.includes("none")) {
    throw invalidDocument("only public clients, without authentication, are supported");
  }
  return { clientId, name: data.client_name, redirectUris: data.redirect_uris };
}

const invalidDocument = (reason: string): EarshotError =>
  clientNotAccepted(
    `invalid client metadata document: ${reason}`,
    "use an API key, or report it to the client's developer",
  );

function clientNotAccepted(message: string, hint: string): EarshotError {
  return new EarshotError("client_not_accepted", message, { status: 422, hint });
}
