import type { CredentialKind } from "../credentials/credential.ts";
import { appTokenKind } from "./app-token.ts";
import { userTokenKind } from "./user-token.ts";

/** What X can be asked with. `apiUrl` is the origin of its API. */
export function xCredentialKinds({ apiUrl }: { apiUrl: string }): readonly CredentialKind[] {
  return [appTokenKind(apiUrl), userTokenKind(apiUrl)];
}
