import type { CredentialKind } from "../credential.ts";
import { mastodonAppTokenKind } from "./app-token.ts";
import { mastodonUserTokenKind } from "./user-token.ts";

export const mastodonCredentialKinds = (): readonly CredentialKind[] => [
  mastodonUserTokenKind,
  mastodonAppTokenKind,
];
