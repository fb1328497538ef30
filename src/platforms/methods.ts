export const sourceTypes = ["social", "social-credential", "social-api"] as const;
export type SourceType = (typeof sourceTypes)[number];

export const searchMethods = ["searchbyquery", "searchbyfullarchive"] as const;
export type SearchMethod = (typeof searchMethods)[number];

export const liveWindowMs = 7 * 86_400_000;

/** `query`: what the query names. `bound`: maximum `max_results`. */
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
export type FetchMethod = Exclude<Method, SearchMethod>;

export const methodNames = Object.keys(methods) as readonly Method[];

export const fetchMethods: readonly FetchMethod[] = methodNames.filter(isFetch);

/** Methods whose results are only for the credential's owner. */
export const ownMethods: readonly Method[] = ["gethometweets", "getforyoutweets"];

/**
 * `social` and `social-credential` accept all, because what they support depends on the
 * configuration.
 */
const supportedMethods: Record<SourceType, readonly Method[]> = {
  social: methodNames,
  "social-credential": methodNames,
  "social-api": ["searchbyquery", "getbyid", "getprofilebyid", "searchbyfullarchive"],
};

export function methodsOfType(type: SourceType): readonly Method[] {
  return supportedMethods[type];
}

function isFetch(method: Method): method is FetchMethod {
  return !isSearch(method);
}

export function isSearch(method: Method): method is SearchMethod {
  return searchMethods.some((name) => name === method);
}

export function typesWithMethod(method: string): readonly SourceType[] {
  return sourceTypes.filter((type) => supportedMethods[type].some((name) => name === method));
}
