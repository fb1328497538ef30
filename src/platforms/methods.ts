export const sourceTypes = ["social", "social-credential", "social-api"] as const;
export type SourceType = (typeof sourceTypes)[number];

/** The methods that search; the others fetch what belongs to a user, a post or a platform. */
export const searchMethods = ["searchbyquery", "searchbyfullarchive"] as const;
export type SearchMethod = (typeof searchMethods)[number];

/** How far `searchbyquery` looks back unless the operator says otherwise: what X calls recent. */
export const liveWindowMs = 7 * 86_400_000;

/** The fifteen methods. `query`: what the method needs there. `bound`: the most that `max_results` may be. */
export const methods = {
  searchbyquery: { query: "text", bound: 100 },
  searchbyfullarchive: { query: "text", bound: 500 },
  searchbyprofile: { query: "user", bound: 100 },
  getbyid: { query: "post", bound: 100 },
  getreplies: { query: "post", bound: 100 },
  getretweeters: { query: "post", bound: 100 },
  gettweets: { query: "user", bound: 100 },
  getmedia: { query: "user", bound: 100 },
  gethometweets: { query: "none", bound: 100 },
  getforyoutweets: { query: "none", bound: 100 },
  getprofilebyid: { query: "user", bound: 100 },
  gettrends: { query: "none", bound: 100 },
  getfollowing: { query: "user", bound: 100 },
  getfollowers: { query: "user", bound: 100 },
  getspace: { query: "space", bound: 100 },
} as const satisfies Record<string, { query: string; bound: number }>;

export type Method = keyof typeof methods;
/** A method that does not search. */
export type FetchMethod = Exclude<Method, SearchMethod>;

export const methodNames = Object.keys(methods) as readonly Method[];

/** The methods that do not search. */
export const fetchMethods: readonly FetchMethod[] = methodNames.filter(isFetch);

/** What belongs to a user alone: it needs the calling account's own credential, and is shown to nobody else. */
export const ownMethods: readonly Method[] = ["gethometweets", "getforyoutweets"];

/**
 * Which methods a type supports (specification 2.4). What `social` supports depends on what is configured, so it pairs with
 * all of them.
 */
const supported: Record<SourceType, readonly Method[]> = {
  social: methodNames,
  "social-credential": methodNames,
  "social-api": ["searchbyquery", "getbyid", "getprofilebyid", "searchbyfullarchive"],
};

export function methodsOf(type: SourceType): readonly Method[] {
  return supported[type];
}

function isFetch(method: Method): method is FetchMethod {
  return !isSearch(method);
}

/** Whether the method takes a query with operators. */
export function isSearch(method: Method): method is SearchMethod {
  return searchMethods.some((name) => name === method);
}

export function typesOf(method: string): readonly SourceType[] {
  return sourceTypes.filter((type) => supported[type].some((name) => name === method));
}
