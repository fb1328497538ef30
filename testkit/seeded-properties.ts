import fc from "fast-check";
import { testSeed } from "./seed.ts";

/** Fixes the seed of all properties, so that failures are reproducible. */
fc.configureGlobal({ seed: testSeed(20_261_122) });
