export { analyzerVersion, analyzeText, GAP, hasQuestionMark } from "./analyze.ts";
export {
  codePointClass,
  decodeEntities,
  mark,
  spaceless,
  wordClass as word,
} from "./characters.ts";
export {
  type Entity,
  type EntityOptions,
  extractEntities,
  findCashtags,
  findEmoticons,
  findHashtags,
  findMentions,
  foldHandle,
  foldTag,
  readHashtag,
  readMention,
} from "./entities.ts";
export { languageTags } from "./languages.ts";
export { findLinks } from "./links.ts";
export { isAscii, pairToken, splitIntoRuns } from "./runs.ts";
export { phraseSequence, querySequence, type SequenceElement } from "./sequence.ts";
export { spansStartingOutside as startingOutside, type TextSpan } from "./span.ts";
export { hostSuffixes, type Link, linkTokens, parseLink, urlQueryTokens } from "./urls.ts";
