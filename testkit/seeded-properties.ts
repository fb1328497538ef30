import fc from "fast-check";
import { testSeed } from "./seed.ts";

/** Makes failures reproducible. */
fc.configureGlobal({ seed: testSeed(20_261_122) });
