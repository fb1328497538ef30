export function testSeed(defaultSeed: number): number {
  const seedSetting = process.env.EARSHOT_TEST_SEED;
  if (seedSetting === "random") return Math.floor(Math.random() * 2 ** 31);
  return seedSetting === undefined ? defaultSeed : Number(seedSetting);
}

export function testRuns(defaultRuns: number): number {
  return Math.max(1, Math.round(defaultRuns * Number(process.env.TEST_RUNS ?? 1)));
}
