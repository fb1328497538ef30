import type { CredentialKind } from "../credential.ts";
import { xAppTokenKind } from "./app-token.ts";
import { xUserTokenKind } from "./user-token.ts";

type KindsOptions = {
  apiUrl: string;
  /** X permits showing callers what the deployment's credentials fetch. */
  isRedistributionAgreed?: boolean;
};

export function xCredentialKinds({
  apiUrl,
  isRedistributionAgreed = false,
}: KindsOptions): readonly CredentialKind[] {
  const kinds = [xAppTokenKind(apiUrl), xUserTokenKind(apiUrl)];
  return isRedistributionAgreed ? kinds : kinds.map((kind) => ({ ...kind, sharing: idsOnly }));
}

const idsOnly =
  "X allows others to be given IDs only: answers to accounts hold no texts and names, and no trends and Spaces; with --account ACCOUNT it belongs to one account, which is shown everything.";
