import { EarshotError } from "../../lib/errors.ts";
import type { CredentialField, CredentialTools } from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { findAccount, type ResolvedAccount } from "./find-account.ts";
import type { XrpcFetch } from "./xrpc.ts";

export const identifierField: CredentialField = {
  name: "identifier",
  label: "Handle",
  hint: "Such as ann.bsky.social, or the account's DID.",
  description: "the account's handle, such as ann.bsky.social, or its DID",
  isSecret: false,
  isOptional: false,
};

export type AccountLookupSettings = {
  plcUrl: string;
  appviewUrl: string;
  resolveTxt: (name: string) => Promise<string[][]>;
};

/**
 * Errors: `credential_invalid`, also if the account's server, which will receive a secret, does not
 * use TLS.
 */
export async function findCredentialAccount(
  identifier: string,
  tools: CredentialTools,
  { plcUrl, appviewUrl, resolveTxt }: AccountLookupSettings,
): Promise<ResolvedAccount> {
  const name = identifier.trim();
  if (name === "") throw invalidIdentifierError("a value is required");
  const directory = { fetch: makeFetch(tools), resolveTxt, appviewUrl, plcUrl };
  const account = await findAccount(name, directory).catch((thrown: unknown) => {
    const isUnknown =
      thrown instanceof EarshotError &&
      ["account_unknown", "account_deleted"].includes(thrown.code);
    throw isUnknown ? invalidIdentifierError(thrown.message) : thrown;
  });
  // A plain-HTTP directory means a private network.
  const allowsPlainHttp = new URL(plcUrl).protocol === "http:";
  if (account.pds.protocol !== "https:" && !allowsPlainHttp) {
    throw invalidIdentifierError(`its server ${account.pds.origin} does not use TLS`);
  }
  return account;
}

const makeFetch = ({ fetch }: CredentialTools): XrpcFetch => ({
  get: async (url, { headers, signal } = {}) =>
    await fetch(url, {
      ...(headers === undefined ? {} : { headers }),
      ...(signal === undefined ? {} : { signal }),
    }),
});

const invalidIdentifierError = (problem: string): EarshotError =>
  credentialInvalid(
    `identifier: ${problem}`,
    "use the account's handle, such as ann.bsky.social, or its DID",
  );
