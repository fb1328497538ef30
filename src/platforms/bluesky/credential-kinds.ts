import type { CredentialKind } from "../credential.ts";
import { appPasswordKind } from "./app-password.ts";
import type { FindSettings } from "./given-account.ts";
import { oauthKind } from "./oauth.ts";

export const blueskyCredentialKinds = (settings: FindSettings): readonly CredentialKind[] => [
  appPasswordKind(settings),
  oauthKind(settings),
];
