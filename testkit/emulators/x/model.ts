export type EmulatedUser = {
  id: string;
  username: string;
  name?: string;
  description?: string;
  verified?: boolean;
  isProtected?: boolean;
  isSuspended?: boolean;
  followers?: readonly string[];
  otherPosts?: number;
};

export type EmulatedPost = {
  id: string;
  authorId: string;
  text: string;
  noteText?: string;
  createdMs: number;
  lang?: string;
  conversationId?: string;
  inReplyToUserId?: string;
  references?: readonly { type: "replied_to" | "quoted" | "retweeted"; id: string }[];
  hashtags?: readonly string[];
  mentions?: readonly { username: string; id?: string }[];
  urls?: readonly { expanded: string; unwound?: string; mediaKey?: string }[];
  media?: readonly { key: string; type: string; url?: string; alt?: string }[];
  geo?: { lat: number; lon: number };
  metrics?: { likes?: number; reposts?: number; replies?: number; quotes?: number };
  isSensitive?: boolean;
  withheld?: { copyright: boolean; country_codes: readonly string[] };
};

type EmulatedSpace = { id: string; [field: string]: unknown };

export type EmulatedWorld = {
  users: EmulatedUser[];
  posts: EmulatedPost[];
  spaces: EmulatedSpace[];
  trends: { name: string; count: number }[];
};
