import type { CredentialKind } from "../credential.ts";
import { xAppTokenKind } from "./app-token.ts";
import { xUserTokenKind } from "./user-token.ts";

type KindsOptions = {
  apiUrl: string;
  isRedistributionAgreed?: boolean;
};

export function xCredentialKinds({
  apiUrl,
  isRedistributionAgreed = false,
}: KindsOptions): readonly CredentialKind[] {
  const kinds = [xAppTokenKind(apiUrl), xUserTokenKind(apiUrl)];
  return isRedistributionAgreed ? kinds : kinds.map((kind) => ({ ...kind, sharing: idsOnlyNote }));
}

const idsOnlyNote =
  "X allows sharing IDs only: with this credential, accounts get no texts, names, trends or Spaces. Use --account to give it to one account, which gets everything.";
