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
  const twitterText: {
    extractUrlsWithIndices(text: string): Entity[];
    extractMentionsOrListsWithIndices(text: string): Entity[];
    extractHashtagsWithIndices(text: string, options: { checkUrlOverlap: boolean }): Entity[];
    extractCashtagsWithIndices(text: string): Entity[];
    /** Sorts, and takes out what begins within the one before it. */
    removeOverlappingEntities(entities: Entity[]): void;
    regexen: Record<
      | "latinAccentChars"
      | "validDomainName"
      | "validPortNumber"
      | "validSubdomain"
      | "validUrlPath"
      | "validUrlPrecedingChars"
      | "validUrlQueryChars"
      | "validUrlQueryEndingChars",
      RegExp
    >;
  };
  export = twitterText;
}
