/**
 * What the test put into the network, as plain data: the answers of Earshot are compared with it. Nothing here was read back
 * from the network but the names that it gave.
 */
export type Society = {
  accounts: Account[];
  posts: Post[];
  reposts: Repost[];
  likes: Like[];
  follows: Follow[];
};

/**
 * `shown`: to everyone. `gone`: the network itself shows it to nobody. `withheld`: the network hands it out with the word that it
 * is not to be shown, or not to everyone.
 */
export type State = "shown" | "gone" | "withheld";

export type Account = {
  index: number;
  did: string;
  handle: string;
  authorization: string;
  standing: State;
  /** In what way it came to its standing; empty for `shown`. */
  why: Reason;
  name: string | null;
  description: string | null;
  /** The hash that names its picture. */
  avatar: string | null;
  /** When its profile was made; null without one. */
  createdMs: number | null;
  /** Those that it gave itself, and those of the labeler. */
  labels: string[];
};

export const reasons = [
  "taken down by its server",
  "taken down by the AppView",
  "taken down by a label",
  "deactivated",
  "deleted",
  "hidden by a label",
  "not for everyone",
] as const;
export type Reason = (typeof reasons)[number] | "";

export const stateOf: Readonly<Record<Reason, State>> = {
  "": "shown",
  "taken down by its server": "gone",
  "taken down by the AppView": "gone",
  "taken down by a label": "gone",
  deactivated: "gone",
  deleted: "gone",
  "hidden by a label": "withheld",
  "not for everyone": "withheld",
};

export type Reference = { uri: string; cid: string };

export type Post = Reference & {
  by: Account;
  /** `deleted` of a post is by its author. */
  standing: State;
  why: Reason;
  createdMs: number;
  text: string;
  langs: readonly string[];
  hashtags: readonly string[];
  mentions: readonly string[];
  urls: readonly string[];
  pictures: readonly { hash: string; alt: string }[];
  parent: Post | null;
  root: Post | null;
  quoted: Post | null;
  /** Those that its author gave it, and those of the labeler. */
  labels: string[];
};

export type Repost = { uri: string; by: Account; of: Post; createdMs: number };
type Like = { by: Account; of: Post };
type Follow = { by: Account; to: Account; createdMs: number };
