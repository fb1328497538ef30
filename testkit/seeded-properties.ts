import fc from "fast-check";
import { testSeed } from "./seed.ts";

/** Before each test file: what its properties draw follows from the tree, so that a suite fails for a change and not by chance. */
fc.configureGlobal({ seed: testSeed(20_261_122) });
