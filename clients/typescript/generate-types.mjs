// Writes src/openapi.ts: the types of openapi.json's schemas. With --check, fails if it is out of
// date.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const target = new URL("src/openapi.ts", import.meta.url);
// Examples are in the API reference.
const { openapi, info, components } = JSON.parse(
  readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"),
  (name, value) => (name === "examples" || name === "example" ? undefined : value),
);
const types = await openapiTS(
  { openapi, info, components, paths: {} },
  { excludeDeprecated: true },
);
const text = `// Generated from openapi.json by npm run types.\n${astToString(types)}`;

if (process.argv.includes("--check")) {
  if (readFileSync(target, "utf8") === text) process.exit(0);
  process.stderr.write("src/openapi.ts is out of date: npm run types\n");
  process.exit(1);
}
writeFileSync(target, text);
