declare module "twitter-text" {
  /** A stretch of a text; `indices` count UTF-16 units, end excluded. */
  type Entity = {
    indices: [number, number];
    url?: string;
    screenName?: string;
    listSlug?: string;
    hashtag?: string;
    cashtag?: string;
  };
  const twitterText: { extractEntitiesWithIndices(text: string): Entity[] };
  export = twitterText;
}
