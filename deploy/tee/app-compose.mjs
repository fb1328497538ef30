// Writes app-compose.json, which is deployed to a dstack machine, from compose.yaml and the values of a
// deployment, and prints its hash. The machine measures this file, and the gateway's policy allows its hash.
//   node deploy/tee/app-compose.mjs deploy/tee/deployments/NAME.json
//     writes NAME.app-compose.json and NAME.compose-hash
//   node deploy/tee/app-compose.mjs --check deploy/tee/deployments/NAME.json
//     fails if these files are out of date
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stderr, stdout } from "node:process";

/**
 * The values of a deployment. They are inserted into the YAML verbatim, so no pattern may match
 * text that changes its structure.
 */
const values = {
  image: [
    /^[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}$/,
    "an image by its digest, such as registry.example/earshot-node@sha256:…",
  ],
  gateway: [/^https:\/\/[a-z0-9.-]+(?::\d+)?$/, "an address that begins with https://"],
  gateway_key: [/^[A-Za-z0-9_-]{43}$/, "the key that `earshot nodes key` prints"],
  enrolment_token: [/^[A-Za-z0-9_-]{43}$/, "the token that `earshot nodes enroll` prints"],
  name: [/^[A-Za-z0-9-]{1,63}$/, "the host's name, which the list of nodes shows"],
  ingest: [
    /^(?:bluesky|off)$/,
    "bluesky or off: whether the node fills its archive from the live stream",
  ],
};

/** Invalid input, reported on one line. */
class InputError extends Error {}

function composeOf(template, deployment) {
  for (const name of Object.keys(deployment)) {
    if (!(name in values))
      throw new InputError(`${name} is not a value of a deployment: remove it`);
  }
  let filled = template;
  for (const [name, [pattern, expected]] of Object.entries(values)) {
    const value = deployment[name];
    if (typeof value !== "string" || !pattern.test(value)) {
      throw new InputError(`${name} is ${JSON.stringify(value)}, expected ${expected}`);
    }
    filled = filled.replaceAll(`<${name}>`, value);
  }
  const placeholder = /"<[^>\n]*>"/.exec(filled);
  if (placeholder !== null)
    throw new InputError(`compose.yaml has the unknown placeholder ${placeholder[0]}`);
  if (filled.includes("$")) {
    throw new InputError(
      "compose.yaml contains a dollar sign, so the host would choose the value: write out the value",
    );
  }
  return filled;
}

/** Canonical JSON, with sorted names and no spaces, so that others can reproduce the hash. */
function appComposeOf(compose) {
  const fields = {
    allowed_envs: [],
    docker_compose_file: compose,
    gateway_enabled: false,
    kms_enabled: true,
    key_provider: "kms",
    manifest_version: 2,
    name: "earshot-node",
    no_instance_id: false,
    public_logs: false,
    public_sysinfo: false,
    public_tcbinfo: true,
    runner: "docker-compose",
    secure_time: true,
  };
  return JSON.stringify(fields, Object.keys(fields).sort());
}

function readDeployment(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new InputError(`${file} cannot be read as JSON: ${error.message}`);
  }
}

function run(args) {
  const isCheck = args[0] === "--check";
  const [file, ...more] = isCheck ? args.slice(1) : args;
  if (file === undefined || more.length > 0 || !file.endsWith(".json")) {
    throw new InputError("usage: node deploy/tee/app-compose.mjs [--check] deployments/NAME.json");
  }
  const template = readFileSync(join(import.meta.dirname, "compose.yaml"), "utf8");
  const appCompose = appComposeOf(composeOf(template, readDeployment(file)));
  const hash = createHash("sha256").update(appCompose).digest("hex");
  const base = file.slice(0, -".json".length);
  const output = {
    [`${base}.app-compose.json`]: appCompose,
    [`${base}.compose-hash`]: `${hash}\n`,
  };
  for (const [path, text] of Object.entries(output)) {
    if (!isCheck) writeFileSync(path, text);
    else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
      throw new InputError(
        `${path} is not what compose.yaml and ${file} produce: run this without --check`,
      );
    }
  }
  if (/@sha256:0{64}/.test(appCompose)) {
    stderr.write("app-compose: the digest is an example; replace it with your image's\n");
  }
  stdout.write(`${hash}\n`);
}

try {
  run(argv.slice(2));
} catch (error) {
  if (!(error instanceof InputError)) throw error;
  stderr.write(`app-compose: ${error.message}\n`);
  exit(1);
}
