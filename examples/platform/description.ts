import type { PlatformDescription } from "../description.ts";
import type { IdentityRules } from "../identity.ts";
import { type Method, methodNames } from "../methods.ts";
import type { MethodSupport } from "../upstream.ts";

const address = "https://news.ycombinator.com/item?id=";

export const itemUri = (id: string): string => `${address}${id}`;

/** Identity is the address of the item's page. */
const hackerNewsIdentity: IdentityRules = {
  identify: ({ id, uri, url, authorId }) => ({
    uri: uri ?? (id === null ? null : itemUri(id)),
    url,
    nativeId: null,
    userId: authorId,
    seenMs: null,
  }),
  reference: (id) => ({ id, uri: itemUri(id), username: null, userId: null }),
  referenceForm: "the number of an item",
  isUserId: (text) => /^[\w-]{2,15}$/.test(text),
  isPostUri: (text) => /^\d{1,12}$/.test(text.slice(address.length)) && text.startsWith(address),
};

const search: MethodSupport = {
  access: ["public"],
  endpoint: "GET /api/v1/search_by_date",
  note: "Words and phrases that every match must contain. The newest 1,000 hits.",
};

const none: MethodSupport = { access: [], closest: "None: this adapter searches and reads items." };

const unsupported = Object.fromEntries(methodNames.map((method) => [method, none])) as Record<
  Method,
  MethodSupport
>;

export const hackerNewsDescription: PlatformDescription = {
  identity: hackerNewsIdentity,
  support: {
    ...unsupported,
    searchbyquery: search,
    searchbyfullarchive: search,
    getbyid: { access: ["public"], endpoint: "GET /api/v1/search?tags=", note: "" },
  },
  configuration: { public: "EARSHOT_HACKERNEWS_URL" },
  sources: "searches query Hacker News, earshot import adds posts",
};
