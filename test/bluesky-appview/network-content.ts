/** What the test wrote, as plain data. Only handles, DIDs and URIs come from the network. */
export type NetworkContent = {
  accounts: Account[];
  posts: Post[];
  reposts: Repost[];
  likes: Like[];
  follows: Follow[];
};

/** `removed`: the network shows it to no one. `withheld`: it is returned with a label that hides it. */
export type State = "visible" | "removed" | "withheld";

export type Account = {
  index: number;
  did: string;
  handle: string;
  authorization: string;
  state: State;
  /** Empty if the account is visible. */
  reason: Reason;
  name: string | null;
  description: string | null;
  avatar: string | null;
  /** Null if the account has no profile. */
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
  "hidden from signed-out viewers",
] as const;
export type Reason = (typeof reasons)[number] | "";

export const stateOf: Readonly<Record<Reason, State>> = {
  "": "visible",
  "taken down by its server": "removed",
  "taken down by the AppView": "removed",
  "taken down by a label": "removed",
  deactivated: "removed",
  deleted: "removed",
  "hidden by a label": "withheld",
  "hidden from signed-out viewers": "withheld",
};

export type Reference = { uri: string; cid: string };

export type Post = Reference & {
  author: Account;
  state: State;
  /** `deleted` means by the author. */
  reason: Reason;
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

export type Repost = { uri: string; author: Account; subject: Post; createdMs: number };
type Like = { author: Account; subject: Post };
type Follow = { author: Account; subject: Account; createdMs: number };
