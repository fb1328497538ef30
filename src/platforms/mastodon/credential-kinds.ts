import type { CredentialKind } from "../credential.ts";
import { appTokenKind } from "./app-token.ts";
import { userTokenKind } from "./user-token.ts";

export const mastodonCredentialKinds = (): readonly CredentialKind[] => [
  userTokenKind,
  appTokenKind,
];
