import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { hashPolicy } from "../../remote/evidence/policy.ts";
import { type GatewaySettings, gatewayDefaults } from "../../remote/settings.ts";
import { insecureEvidenceWarning, openNodeTrust } from "./node-trust.ts";

let canLoad = true;
vi.mock("../../remote/evidence/collateral.ts", async (original) => {
  const loadedModule = await original<typeof import("../../remote/evidence/collateral.ts")>();
  return {
    ...loadedModule,
    collateralFromService: (...args: Parameters<typeof loadedModule.collateralFromService>) => {
      if (!canLoad) throw new Error("no room left");
      return loadedModule.collateralFromService(...args);
    },
  };
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earshot-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const open = (overrides: Partial<GatewaySettings>) =>
  openNodeTrust({ ...gatewayDefaults, ...overrides }, createManualClock());

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const policy = {
  tcb_status: ["UpToDate"],
  accepted_advisories: [],
  min_tcb_evaluation_number: 18,
  images: [],
  compose_hashes: [],
  key_providers: [],
  platforms: null,
};

test("a gateway without a policy starts and has no policy id", async () => {
  const trust = open({});
  expect([trust.policy, hashPolicy(trust.policy)]).toEqual([null, "none"]);
  await trust.close();
});

test("the policy is read at startup, and the position of an error is reported", () => {
  const policyFile = file("policy.json", JSON.stringify(policy));
  expect(open({ policyFile }).policy).toMatchObject(policy);
  const wrongFile = file("wrong.json", JSON.stringify({ ...policy, platforms: ["abc"] }));
  expect(() => open({ policyFile: wrongFile })).toThrow(/platforms\/0/);
  expect(() => open({ policyFile: join(folder, "absent.json") })).toThrow(
    /^EARSHOT_NODES_POLICY: /,
  );
});

test("simulated evidence is accepted only with a policy that has its root", () => {
  expect(() => open({ evidence: ["tdx", "simulated"] })).toThrow(/has no `simulated_root`/);
  const policyFile = file("policy.json", JSON.stringify(policy));
  expect(() => open({ evidence: ["simulated"], policyFile })).toThrow(/`simulated_root`/);
  const badFile = file("bad.json", JSON.stringify({ ...policy, simulated_root: "no certificate" }));
  expect(() => open({ evidence: ["simulated"], policyFile: badFile })).toThrow(
    /certificate in PEM/,
  );
});

test("the gateway warns if it accepts evidence that proves nothing", () => {
  expect(insecureEvidenceWarning({ evidence: ["tdx"] })).toBeNull();
  expect(insecureEvidenceWarning({ evidence: ["tdx", "simulated", "none"] })).toMatch(
    /accepts simulated and none/,
  );
});

test("a failed load of the verifier is retried", async () => {
  const { verify, close } = open({ evidence: ["none"] });
  const statement = {
    version: 1,
    evidence: "none",
    audience: "earshot",
    nonce: "AAAA",
    identity_key: "A",
    signing_key: "A",
    sealing_key: "A",
    boot_id: "A",
    gateway_key: "A",
  } as const;
  const verifyNone = () => verify(statement, { quote: null, event_log: null, vm_config: null }, 0);
  canLoad = false;
  await expect(verifyNone()).rejects.toThrow("no room left");
  canLoad = true;
  expect(await verifyNone()).toMatchObject({ verified: { kind: "none" } });
  await close();
});
