// Writes what a machine of dstack is given, app-compose.json, from compose.yaml and the values of a deployment, and prints its
// hash: the machine measures it, and the gateway's policy allows it by that hash.
//   node deploy/tee/app-compose.mjs deploy/tee/deployments/NAME.json           writes NAME.app-compose.json and NAME.compose-hash
//   node deploy/tee/app-compose.mjs --check deploy/tee/deployments/NAME.json   fails where they are not what would be written
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv, exit, stderr, stdout } from "node:process";

/** The values of a deployment. Each goes into the YAML as it is, so each is narrow enough to say nothing else there. */
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
    "bluesky or off: whether the node keeps an archive from the live stream",
  ],
};

/** A fault of what was given, told in one line. */
class Refusal extends Error {}

/** compose.yaml with the values of a deployment. */
function composeOf(template, deployment) {
  for (const name of Object.keys(deployment)) {
    if (!(name in values)) throw new Refusal(`${name} is no value of a deployment: take it out`);
  }
  let filled = template;
  for (const [name, [pattern, expected]] of Object.entries(values)) {
    const value = deployment[name];
    if (typeof value !== "string" || !pattern.test(value)) {
      throw new Refusal(`${name} is ${JSON.stringify(value)}, expected ${expected}`);
    }
    filled = filled.replaceAll(`<${name}>`, value);
  }
  const open = /"<[^>\n]*>"/.exec(filled);
  if (open !== null) throw new Refusal(`compose.yaml asks for ${open[0]}, which no deployment has`);
  if (filled.includes("$")) {
    throw new Refusal(
      "compose.yaml holds a dollar sign: the host would choose the value. Write it out",
    );
  }
  return filled;
}

/** The canonical bytes: names in order, no spaces, so that whoever writes them anew gets the same hash. */
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
  } catch (fault) {
    throw new Refusal(`${file} cannot be read as JSON: ${fault.message}`);
  }
}

function run(args) {
  const isCheck = args[0] === "--check";
  const [file, ...more] = isCheck ? args.slice(1) : args;
  if (file === undefined || more.length > 0 || !file.endsWith(".json")) {
    throw new Refusal("usage: node deploy/tee/app-compose.mjs [--check] deployments/NAME.json");
  }
  const template = readFileSync(join(import.meta.dirname, "compose.yaml"), "utf8");
  const appCompose = appComposeOf(composeOf(template, readDeployment(file)));
  const hash = createHash("sha256").update(appCompose).digest("hex");
  const base = file.slice(0, -".json".length);
  const outcome = {
    [`${base}.app-compose.json`]: appCompose,
    [`${base}.compose-hash`]: `${hash}\n`,
  };
  for (const [path, text] of Object.entries(outcome)) {
    if (!isCheck) writeFileSync(path, text);
    else if (!existsSync(path) || readFileSync(path, "utf8") !== text) {
      throw new Refusal(
        `${path} is not what compose.yaml and ${file} give: run it without --check`,
      );
    }
  }
  if (/@sha256:0{64}/.test(appCompose)) {
    stderr.write("app-compose: the digest is an example; put the one of your image in its place\n");
  }
  stdout.write(`${hash}\n`);
}

try {
  run(argv.slice(2));
} catch (fault) {
  if (!(fault instanceof Refusal)) throw fault;
  stderr.write(`app-compose: ${fault.message}\n`);
  exit(1);
}
