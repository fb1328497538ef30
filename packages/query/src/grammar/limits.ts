export const maxNestingDepth = 20;
export const maxTerms = 256;
/** Applies per response, to errors and warnings separately. */
export const maxDiagnostics = 32;
export const maxLiveQueryLength = 1024;
export const maxArchiveQueryLength = 4096;
