/** Intel's words for the state of a machine, from the best to the worst. */
export const tcbStatuses = [
  "UpToDate",
  "SWHardeningNeeded",
  "ConfigurationNeeded",
  "ConfigurationAndSWHardeningNeeded",
  "OutOfDate",
  "OutOfDateConfigurationNeeded",
  "Revoked",
] as const;

/** How a part of a machine is rated, and what was published about what it lacks. */
export type TcbRating = { status: string; advisories: readonly string[] };

/** The worst status with the advisories of all; a word that is not known is worse than all that are. */
export function worstOf(ratings: readonly TcbRating[]): TcbRating {
  const words: readonly string[] = tcbStatuses;
  const rank = (status: string) => (words.includes(status) ? words.indexOf(status) : words.length);
  const [worst] = ratings.map(({ status }) => status).sort((a, b) => rank(b) - rank(a));
  const advisories = new Set(ratings.flatMap((rating) => rating.advisories));
  return { status: worst ?? "Revoked", advisories: [...advisories].sort() };
}
