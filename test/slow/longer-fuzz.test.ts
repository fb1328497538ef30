/** The random tests of the quick suite with more runs (TEST_RUNS). */
process.env.TEST_RUNS ??= "4";

await import("../../packages/query/src/grammar/fuzz.test.ts");
await import("../../src/archive/read/differential.test.ts");
await import("../../src/archive/read/count-differential.test.ts");
await import("../../src/ingest/import/references.test.ts");
await import("../docs/examples.test.ts");

export {};
