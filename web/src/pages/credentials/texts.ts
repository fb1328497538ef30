import type {
  CredentialKindListing,
  CredentialListing,
} from "../../../../src/http/dashboard/contract.ts";
import type { Platform } from "../../../../src/posts/post.ts";
import type { IconName } from "../../components/icons.tsx";
import type { Tone } from "../../components/note.tsx";

type Teaching = {
  name: string;
  /** What an account has there without a credential of its own, and what with one. */
  without: string;
  with: string;
  /** Where the platform itself ends what was allowed. */
  ending: string;
};

/** The platforms in the order in which they stand; docs/platforms.md says the same at length. */
export const platformTexts = {
  bluesky: {
    name: "Bluesky",
    without: "searches of the archive, and what Bluesky shows to everyone.",
    with: "your home timeline and your “for you” feed too, and everything as your account may see it.",
    ending: "in its settings, under App passwords",
  },
  mastodon: {
    name: "Mastodon",
    without: "what a server shows to everyone; of searches, those for a hashtag.",
    with: "your home timeline too, and the search of your server, where it has one.",
    ending: "in your account's settings, under Authorized apps or Development",
  },
  x: {
    name: "X",
    without:
      "nothing, unless the operator has connected X for everyone. You are shown the IDs of posts then, not their texts.",
    with: "X's search, and posts in full; with OAuth 2.0 your home timeline too. X bills what you read to the application's owner.",
    ending: "at console.x.com, or in your account's settings under Connected apps",
  },
} as const satisfies Record<Platform, Teaching>;

export const platformOrder: readonly Platform[] = ["bluesky", "mastodon", "x"];

export const stateLooks = {
  ready: { word: "Ready", tone: "accent", icon: "done" },
  cooling: { word: "Resting", tone: "caution", icon: "clock" },
  quarantined: { word: "Refused", tone: "danger", icon: "error" },
} as const satisfies Record<
  CredentialListing["state"],
  { word: string; tone: Tone; icon: IconName }
>;

/** What the credential is, in the words of its kind. */
export function titleOf(
  { platform, kind }: CredentialListing,
  kinds: readonly CredentialKindListing[],
): string {
  const known = kinds.find((one) => one.platform === platform && one.kind === kind);
  return known?.title ?? `${platformTexts[platform].name} ${kind}`;
}

/** Whom it acts for and where, such as "@ann at mastodon.social". */
export function subjectOf({ subject, host }: CredentialListing): string {
  const place = URL.parse(host)?.host ?? host;
  if (subject === null) return `An application at ${place}`;
  return subject.endsWith(`@${place}`) ? subject : `${subject} at ${place}`;
}
