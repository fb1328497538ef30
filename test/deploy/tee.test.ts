import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { collateralFromFolder } from "../../src/remote/evidence/collateral.ts";
import { readPolicy } from "../../src/remote/evidence/policy.ts";
import { checkPolicy } from "../../src/remote/evidence/policy-check.ts";
import { rateQuote } from "../../src/remote/evidence/quote.ts";
import { openQuote } from "../../src/remote/evidence/signed-quote.ts";
import { writeSimulatedTee } from "../../src/remote/evidence/simulated/simulated-folder.ts";
import { drainMs } from "../../src/remote/settings.ts";
import { configFrom } from "../../src/server/config.ts";
import { readEnvironment } from "../../src/server/environment.ts";

const root = join(import.meta.dirname, "../..");
const tee = join(root, "deploy/tee");
const text = (name: string): string => readFileSync(join(tee, name), "utf8");

const folder = mkdtempSync(join(tmpdir(), "earshot-deploy-tee-"));
afterAll(() => rmSync(folder, { recursive: true }));

function appCompose(compose: string, deployment: unknown, ...flags: readonly string[]) {
  cpSync(join(tee, "app-compose.mjs"), join(folder, "app-compose.mjs"));
  writeFileSync(join(folder, "compose.yaml"), compose);
  writeFileSync(join(folder, "one.json"), JSON.stringify(deployment));
  const args = [join(folder, "app-compose.mjs"), ...flags, join(folder, "one.json")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

const example: Record<string, string> = JSON.parse(text("deployments/example.json"));

describe("app-compose.mjs", () => {
  const deployments = readdirSync(join(tee, "deployments"))
    .filter((name) => name.endsWith(".json") && !name.endsWith(".app-compose.json"))
    .map((name) => join(tee, "deployments", name));

  test.each(deployments)(
    "the deployment %s has the app-compose and the hash of compose.yaml",
    (file) => {
      const args = [join(tee, "app-compose.mjs"), "--check", file];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect(stderr).not.toContain("is not what");
      expect(status).toBe(0);
    },
  );

  test("app-compose.mjs --check fails when the compose file, a value or the hash was changed", () => {
    const compose = text("compose.yaml");
    expect(appCompose(compose, example).status).toBe(0);
    expect(appCompose(compose, example, "--check").status).toBe(0);
    expect(appCompose(`${compose}# more\n`, example, "--check").status).toBe(1);
    expect(appCompose(compose, { ...example, name: "other" }, "--check").status).toBe(1);
    writeFileSync(join(folder, "one.compose-hash"), "0\n");
    expect(appCompose(compose, example, "--check").stderr).toContain(
      "one.compose-hash is not what",
    );
  });

  test("the hash of app-compose is the SHA-256 of the file as written, with sorted names and no spaces", () => {
    const { stdout } = appCompose(text("compose.yaml"), example);
    const written = readFileSync(join(folder, "one.app-compose.json"));
    const digest = spawnSync("openssl", ["dgst", "-sha256", "-r"], { input: written });
    expect(digest.stdout.toString().split(" ")[0]).toBe(stdout.trim());
    const fields: Record<string, unknown> = JSON.parse(written.toString());
    expect(Object.keys(fields)).toEqual(Object.keys(fields).sort());
    expect(JSON.stringify(fields)).toBe(written.toString());
    expect(fields).toMatchObject({ allowed_envs: [], public_logs: false });
  });

  test.each([
    ["image", "registry.example/earshot-node:latest"],
    ["image", `registry.example/earshot-node@sha256:${"0".repeat(63)}`],
    ["gateway", "http://earshot.example.com"],
    ["gateway_key", "short"],
    ["name", 'a"\n      EARSHOT_NODE_EVIDENCE: none'],
    ["name", "two words"],
    ["ingest", "yes"],
    ["evidence", "none"],
  ])("app-compose.mjs rejects a deployment whose %s is %j", (name, value) => {
    const { status, stderr } = appCompose(text("compose.yaml"), { ...example, [name]: value });
    expect(status).toBe(1);
    expect(stderr).toContain(`app-compose: ${name} is`);
  });

  test("app-compose.mjs rejects a value that the host would choose, and an unknown placeholder", () => {
    const host = text("compose.yaml").replace("tdx", "$" + "{EVIDENCE}");
    expect(appCompose(host, example).stderr).toContain("a dollar sign");
    const incomplete = text("compose.yaml").replace("tdx", '"<evidence>"');
    expect(appCompose(incomplete, example).stderr).toContain('"<evidence>"');
  });
});

describe("compose.yaml", () => {
  const appCompose = JSON.parse(text("deployments/example.app-compose.json"));
  const { services } = parse(appCompose.docker_compose_file);

  test("the node's compose.yaml has existing settings, including strong evidence and the gateway's key", () => {
    const { environment, hostname } = services.node;
    const { node, ingest } = configFrom(readEnvironment(environment));
    expect(node).toMatchObject({
      evidence: "tdx",
      gateway: example.gateway,
      gatewayKey: example.gateway_key,
    });
    expect(hostname).toBe(example.name);
    expect(ingest.source).toBe("off");
  });

  test("the node's compose.yaml runs an image by digest, unprivileged and read-only, with the socket of the guest agent", () => {
    const { node } = services;
    expect(node.image).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(node).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
    expect(node.security_opt).toContain("no-new-privileges:true");
    expect(node.volumes).toContain("/var/run/dstack.sock:/var/run/dstack.sock");
    expect(node.ports).toBeUndefined();
  });
});

describe("Containerfile", () => {
  const file = text("Containerfile").replaceAll("\\\n", " ");
  const instructions = file.split("\n").filter((line) => /^[A-Z]+ /.test(line));

  test("the node's Containerfile takes its base image by argument without a default, and requires a digest", () => {
    const bases = instructions.filter((line) => line.startsWith("FROM "));
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(base).toMatch(/^FROM \$\{NODE_IMAGE\}( AS \w+)?$/);
    expect(instructions.filter((line) => line.startsWith("ARG "))).toEqual([
      "ARG NODE_IMAGE",
      "ARG NODE_IMAGE",
    ]);
    const check = /RUN (printf .*?exit 1; \})/.exec(file)?.[1] ?? "";
    const run = (image: string) =>
      spawnSync("sh", ["-c", check], { env: { ...process.env, NODE_IMAGE: image } }).status;
    expect(run(`docker.io/library/node:24-bookworm-slim@sha256:${"a".repeat(64)}`)).toBe(0);
    expect(run("docker.io/library/node:24-bookworm-slim")).toBe(1);
    expect(run("")).toBe(1);
  });

  test("the node's Containerfile copies existing files inside the build context, and runs the node", () => {
    const included = text("Containerfile.dockerignore").split("\n");
    const copied = instructions
      .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));
    expect(copied).toContain("src");
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(included, path).toContain(`!${path}`);
    }
    expect(instructions).toContain('ENTRYPOINT ["node", "bin/earshot.mjs"]');
    expect(instructions).toContain('CMD ["node"]');
  });

  test("the node's Containerfile installs nothing that differs between builds", () => {
    expect(file).not.toMatch(/apt|curl|wget|npm (?:install|i) /);
    expect(file).toContain("npm ci --omit=dev --omit=optional --ignore-scripts");
  });
});

describe("earshot-node.service", () => {
  const unit = text("earshot-node.service");

  test("earshot-node.service runs an existing command as its own user", () => {
    const [, node = "", program = ""] = /^ExecStart=(\S+) (\S+) node$/m.exec(unit) ?? [];
    for (const path of [node, program]) {
      expect(existsSync(join(root, path.replace("/opt/earshot/", ""))), path).toBe(true);
    }
    expect(unit.split("\n")).toEqual(
      expect.arrayContaining(["User=earshot-node", "ProtectSystem=strict", "NoNewPrivileges=yes"]),
    );
  });

  test("earshot-node.service gives a stopping node longer than it needs to finish its jobs", () => {
    const stopSeconds = Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)?.[1]);
    expect(stopSeconds * 1_000).toBeGreaterThan(drainMs);
  });

  const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

  test.skipIf(!hasSystemd)(
    "earshot-node.service passes systemd-analyze verify (skipped without systemd-analyze)",
    () => {
      const copy = join(folder, "earshot-node.service");
      writeFileSync(copy, unit.replaceAll("/opt/earshot", root));
      const verified = spawnSync("systemd-analyze", ["verify", copy], { encoding: "utf8" });
      expect(verified.stderr + verified.stdout).toBe("");
      expect(verified.status).toBe(0);
    },
  );
});

test("policy.example.json is a valid policy and accepts no existing machine", () => {
  const policy = readPolicy(text("policy.example.json"));
  expect(policy.platforms).toEqual([]);
  expect(policy.compose_hashes).toEqual(["0".repeat(64)]);
  expect(policy.key_providers).toEqual([{ name: "kms" }]);
});

describe("record-evidence.mjs", () => {
  const record = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(tee, "record-evidence.mjs"), ...args], { encoding: "utf8" });

  test.each([
    {},
    { td_attributes: "000000d000000080", xfam: "e783060000000000" },
    { mr_config_id: `03${"ab".repeat(32)}${"00".repeat(15)}` },
  ])(
    "record-evidence.mjs writes evidence, collateral and facts, and a policy that accepts this machine: %j",
    async (variant) => {
      const simulated = await writeSimulatedTee(join(folder, "simulated"), Date.now());
      const defaults = JSON.parse(readFileSync(simulated.tee, "utf8"));
      writeFileSync(simulated.tee, JSON.stringify({ ...defaults, ...variant }));
      const output = join(folder, "recorded");
      const { status, stdout, stderr } = record(output, "--simulated", join(folder, "simulated"));
      expect(stderr).toBe("");
      expect(status).toBe(0);
      expect(stdout).toContain("proves nothing about the machine");
      const recorded = (name: string) => readFileSync(join(output, name));
      const quote = recorded("quote.bin");
      const rootDer = new X509Certificate(readFileSync(simulated.root)).raw;
      const signed = openQuote(quote, rootDer, Date.now());
      const collateral = await collateralFromFolder(join(output, "collateral"))(signed);
      const facts = await rateQuote(openQuote(quote, rootDer, Date.now()), collateral, Date.now());
      const { eventLog } = JSON.parse(recorded("facts.json").toString());
      const policy = readPolicy(recorded("policy.draft.json").toString());
      expect(checkPolicy(policy, facts, eventLog)).toMatchObject({ isListedPlatform: true });
    },
  );

  test("record-evidence.mjs reports what is missing on a machine without quotes", () => {
    const { status, stderr } = record(join(folder, "nothing"), "--simulated", "/nothing");
    expect(status).toBe(1);
    expect(stderr).toContain("/nothing/tee.json");
  });
});

test("node.env.example contains existing settings with valid values", () => {
  const pairs = text("node.env.example").matchAll(/^(EARSHOT_\w+)=(.*)$/gm);
  const environment = Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
  expect(Object.keys(environment).length).toBeGreaterThan(3);
  const { node } = configFrom(readEnvironment(environment));
  expect(node.evidence).toBe("none");
});
