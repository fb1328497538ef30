import type { ReleasedCredential } from "../../upstream/credentials/release.ts";

export const aCredential: ReleasedCredential = {
  id: "shared",
  platform: "mastodon",
  kind: "user-token",
  owner: "deployment",
  host: "https://mastodon.example",
  subject: "7",
  revision: 1,
  secrets: { token: "the-secret-token" },
  coolings: [],
};
