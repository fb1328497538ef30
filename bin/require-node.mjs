// Runs before every script in package.json, so that an unsupported version of Node fails immediately.
import { isNewEnough, unsupportedNode } from "./node-version.mjs";

if (!isNewEnough(process.version)) {
  process.stderr.write(unsupportedNode(process.version));
  process.exit(1);
}
