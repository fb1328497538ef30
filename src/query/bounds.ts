/** Bounds of a query; passing one is an error with a name of its own. */
export const deepestNesting = 20;
export const mostTerms = 256;
/** An answer tells this many errors, and this many warnings; a query with more is broken as a whole. */
export const mostDiagnostics = 32;
export const longestLiveQuery = 1024;
export const longestArchiveQuery = 4096;
