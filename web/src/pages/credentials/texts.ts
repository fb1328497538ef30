import type {
  CredentialKindListing,
  CredentialListing,
} from "../../../../src/http/dashboard/contract/credentials.ts";
import type { Platform } from "../../../../src/posts/post.ts";
import type { IconName } from "../../components/icons.tsx";
import type { Tone } from "../../components/note.tsx";
import { platformNames } from "../../platforms.ts";

type PlatformTexts = {
  /** Access without a credential, and with one. */
  without: string;
  with: string;
  /** Where to revoke access on the platform. */
  revocation: string;
};

/** Details are in docs/platforms.md. */
export const platformTexts = {
  bluesky: {
    without: "archive search and public data.",
    with: "your home timeline and “for you” feed, and everything that your account can see.",
    revocation: "in its settings, under App passwords",
  },
  mastodon: {
    without: "a server's public data; hashtag searches only.",
    with: "your home timeline, and your server's search if it has one.",
    revocation: "in your account's settings, under Authorized apps or Development",
  },
  x: {
    without:
      "nothing, unless the operator has connected X for everyone; then you see post IDs without text.",
    with: "X search with full posts; with OAuth 2.0 also your home timeline. X bills reads to the application's owner.",
    revocation: "at console.x.com, or in your account's settings under Connected apps",
  },
} as const satisfies Record<Platform, PlatformTexts>;

export const stateBadges = {
  ready: { word: "Ready", tone: "accent", icon: "done" },
  cooling: { word: "Rate limited", tone: "caution", icon: "clock" },
  quarantined: { word: "Rejected", tone: "danger", icon: "error" },
} as const satisfies Record<
  CredentialListing["state"],
  { word: string; tone: Tone; icon: IconName }
>;

export function credentialTitle(
  { platform, kind }: CredentialListing,
  kinds: readonly CredentialKindListing[],
): string {
  const known = kinds.find((other) => other.platform === platform && other.kind === kind);
  return known?.title ?? `${platformNames[platform]} ${kind}`;
}

/** Such as "@ann at mastodon.social". */
export function credentialSubject({ subject, host }: CredentialListing): string {
  const hostName = URL.parse(host)?.host ?? host;
  if (subject === null) return `An application at ${hostName}`;
  return subject.endsWith(`@${hostName}`) ? subject : `${subject} at ${hostName}`;
}
