/** What the test wrote, as plain data; only names come from the network. */
export type Society = {
  accounts: Account[];
  posts: Post[];
  reposts: Repost[];
  likes: Like[];
  follows: Follow[];
};

/** `gone`: the network shows it to no one. `withheld`: it is returned with a label that hides it. */
export type State = "shown" | "gone" | "withheld";

export type Account = {
  index: number;
  did: string;
  handle: string;
  authorization: string;
  standing: State;
  /** Empty for `shown`. */
  why: Reason;
  name: string | null;
  description: string | null;
  avatar: string | null;
  /** Null without a profile. */
  createdMs: number | null;
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
  /** `deleted` by the author. */
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
  labels: string[];
};

export type Repost = { uri: string; by: Account; of: Post; createdMs: number };
type Like = { by: Account; of: Post };
type Follow = { by: Account; to: Account; createdMs: number };
