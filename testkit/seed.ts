/**
 * The seed of what a test draws: `usual`, so that one tree has one outcome; EARSHOT_TEST_SEED sets another one, and `random` any, to
 * look where nobody has looked.
 */
export function testSeed(usual: number): number {
  const asked = process.env.EARSHOT_TEST_SEED;
  if (asked === "random") return Math.floor(Math.random() * 2 ** 31);
  return asked === undefined ? usual : Number(asked);
}

/** How often a property is tried: `usual` times, or as many times that as EARSHOT_TEST_RUNS says, and once at least. */
export function testRuns(usual: number): number {
  return Math.max(1, Math.round(usual * Number(process.env.EARSHOT_TEST_RUNS ?? 1)));
}
