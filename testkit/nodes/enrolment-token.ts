import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readKey } from "../../src/lib/key-file.ts";
import { makeEnrolmentToken } from "../../src/remote/protocol/enrolment.ts";

export function enrolmentTokenIn(dataDir: string): string {
  const secretKey = readKey(readFileSync(join(dataDir, "secret.key"), "utf8"));
  if (secretKey === null) throw new Error("the data folder has no secret key");
  return makeEnrolmentToken(secretKey);
}
