/**
 * What the quick suite draws at random, several times as long: EARSHOT_TEST_RUNS says how many times. A case that fails here fails there
 * too with its seed and as many runs.
 */
process.env.EARSHOT_TEST_RUNS ??= "4";

await import("../../packages/query/src/grammar/fuzz.test.ts");
await import("../../src/archive/read/differential.test.ts");
await import("../../src/archive/read/count-differential.test.ts");
await import("../../src/ingest/import/references.test.ts");
await import("../docs/examples.test.ts");

export {};
