export function testSeed(defaultSeed: number): number {
  const requested = process.env.EARSHOT_TEST_SEED;
  if (requested === "random") return Math.floor(Math.random() * 2 ** 31);
  return requested === undefined ? defaultSeed : Number(requested);
}

export function testRuns(defaultRuns: number): number {
  return Math.max(1, Math.round(defaultRuns * Number(process.env.TEST_RUNS ?? 1)));
}
