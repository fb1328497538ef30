export const deepestNesting = 20;
export const maxTerms = 256;
/** Applies per response, to errors and warnings separately. */
export const maxDiagnostics = 32;
export const longestLiveQuery = 1024;
export const longestArchiveQuery = 4096;
