import { EarshotError } from "../../lib/errors.ts";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import {
  type ClientDocument,
  clientNotAccepted,
  readClientDocument,
  requireClientUrl,
} from "./client-document.ts";

/** Errors: `client_not_accepted`. */
export type FetchClientDocument = (clientId: string) => Promise<ClientDocument>;

export const clientFetchLimits = { timeoutMs: 5_000, maxBytes: 32_768, maxRedirects: 0 };

export function createFetchClientDocument(fetch: GuardedFetch): FetchClientDocument {
  return async (clientId) => {
    const url = requireClientUrl(clientId);
    try {
      const response = await fetch(url, { headers: { accept: "application/json" } });
      if (response.status !== 200) throw failed(`${url.host} returned ${response.status}`);
      return readClientDocument(clientId, response.json());
    } catch (error) {
      if (!(error instanceof EarshotError) || error.code === "client_not_accepted") throw error;
      throw failed(error.message);
    }
  };
}

const failed = (reason: string): EarshotError =>
  clientNotAccepted(
    `cannot fetch the client's metadata document: ${reason}`,
    "retry, and check that the client's URL is correct and public",
  );
