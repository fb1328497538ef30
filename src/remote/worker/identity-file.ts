import { join } from "node:path";
import type { RandomBytes } from "../../lib/base62.ts";
import { ensureKeyFile } from "../../lib/key-file.ts";
import { type Identity, makeIdentity } from "../protocol/keys.ts";

/**
 * Who the node of a data folder is: by its file `node.key`, which is made, readable by its owner alone, when there is none.
 * Errors: `identity_unreadable`, which never holds what the file says.
 */
export function ensureIdentity(dataDir: string, randomBytes: RandomBytes): Identity {
  const path = join(dataDir, "node.key");
  return makeIdentity(
    ensureKeyFile(path, randomBytes, {
      code: "identity_unreadable",
      hint: "put back the file as it was; removed, the node comes as another, which has to be approved anew",
    }),
  );
}
