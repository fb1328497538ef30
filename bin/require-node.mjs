// Stands before every script of package.json: says so when no new enough Node is there, instead of failing in the middle.
import { isNewEnough, refusal } from "./node-version.mjs";

if (!isNewEnough(process.version)) {
  process.stderr.write(refusal(process.version));
  process.exit(1);
}
