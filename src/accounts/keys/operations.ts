import type { RandomBytes } from "../../lib/base62.ts";
import { callerOperations } from "./caller-operations.ts";
import { commandLineKeyOperations } from "./command-line-operations.ts";
import { keyEndOperations } from "./end-operations.ts";
import { ownKeyOperations } from "./own-operations.ts";

export function keyOperations(randomBytes: RandomBytes) {
  return {
    ...commandLineKeyOperations(randomBytes),
    ...ownKeyOperations(randomBytes),
    ...keyEndOperations(randomBytes),
    ...callerOperations,
  };
}
