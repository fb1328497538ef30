export function testSeed(usual: number): number {
  const requested = process.env.EARSHOT_TEST_SEED;
  if (requested === "random") return Math.floor(Math.random() * 2 ** 31);
  return requested === undefined ? usual : Number(requested);
}

export function testRuns(usual: number): number {
  return Math.max(1, Math.round(usual * Number(process.env.TEST_RUNS ?? 1)));
}
