import type { CredentialKind } from "../credential.ts";
import { appPasswordKind } from "./app-password.ts";
import type { AccountLookupSettings } from "./credential-account.ts";
import { oauthKind } from "./oauth.ts";

export const blueskyCredentialKinds = (
  settings: AccountLookupSettings,
): readonly CredentialKind[] => [appPasswordKind(settings), oauthKind(settings)];
