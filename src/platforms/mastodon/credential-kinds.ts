import type { CredentialKind } from "../credential.ts";
import { appTokenKind } from "./app-token.ts";
import { userTokenKind } from "./user-token.ts";

/** The kinds of credentials of Mastodon, and of other servers of its API. */
export const mastodonCredentialKinds = (): readonly CredentialKind[] => [
  userTokenKind,
  appTokenKind,
];
