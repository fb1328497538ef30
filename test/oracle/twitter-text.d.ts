declare module "twitter-text" {
  /** `indices` are UTF-16 offsets, end exclusive. */
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
