export const deepestNesting = 20;
export const maxTerms = 256;
/** Per response, separately for errors and warnings. */
export const maxDiagnostics = 32;
export const longestLiveQuery = 1024;
export const longestArchiveQuery = 4096;
