import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nowMs, statement } from "../../../../testkit/nodes/evidence-under-test.ts";
import { hashReportData } from "../../protocol/statement.ts";
import { parseCertificates } from "../certificates.ts";
import { collateralFromFolder } from "../collateral.ts";
import { readPolicy } from "../policy.ts";
import { openQuote } from "../signed-quote.ts";
import { createEvidenceVerifier } from "../verify-evidence.ts";
import { readSimulatedTee, type SimulatedFiles, writeSimulatedTee } from "./simulated-folder.ts";

let folder = "";
let files: SimulatedFiles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-simulated-"));
  files = await writeSimulatedTee(join(folder, "made", "here"), nowMs);
});
afterAll(() => rm(folder, { recursive: true }));

async function verify(file = files.tee) {
  const policy = readPolicy(await readFile(files.policy, "utf8"));
  const verify = createEvidenceVerifier({
    acceptedKinds: ["simulated"],
    policy,
    collateral: collateralFromFolder(files.collateralFolder),
  });
  const tee = await readSimulatedTee(file);
  return verify(statement, tee.evidence(hashReportData(statement)), nowMs);
}

describe("a simulated TEE in a folder", () => {
  test("a simulated TEE in a folder makes evidence that verifies with the other files of the folder", async () => {
    const { verified } = await verify();
    expect(verified).toMatchObject({
      kind: "simulated",
      image: "simulated",
      isListedPlatform: true,
    });
  });

  test("a simulated TEE in a folder can be replaced", async () => {
    const oldRoot = await readFile(files.root, "utf8");
    await chmod(files.tee, 0o644);
    files = await writeSimulatedTee(join(folder, "made", "here"), nowMs);
    expect(await readFile(files.root, "utf8")).not.toBe(oldRoot);
    expect((await stat(files.tee)).mode & 0o777).toBe(0o600);
    await verify();
  });

  test.each([
    ["mr_config_id", "00".repeat(48), null],
    ["mr_config_id", "02".repeat(48), "mr_config_id"],
    ["td_attributes", "0000005000000000", "td_attributes"],
    ["xfam", "e718060000000000", "xfam"],
  ])("a simulated TEE quotes the %s that its file sets: %s", async (name, value, code) => {
    const file = join(folder, "variant.json");
    const original = JSON.parse(await readFile(files.tee, "utf8"));
    await writeFile(file, JSON.stringify({ ...original, [name]: value }));
    const verdict = await verify(file).then(
      () => null,
      (error) => error.details[0].code,
    );
    expect(verdict).toBe(code);
  });

  test("a simulated TEE in a folder has a disclaimer in every certificate", async () => {
    const tee = await readSimulatedTee(files.tee);
    const policy = JSON.parse(await readFile(files.policy, "utf8"));
    const collateral = await collateralFromFolder(files.collateralFolder)(
      openQuote(tee.quote(Buffer.alloc(64)), tee.rootDer, nowMs),
    );
    const chains = [tee.chain, collateral.tcb_info_issuer_chain, collateral.pck_crl_issuer_chain];
    for (const certificate of chains.flatMap((chain) => parseCertificates(chain, "chain"))) {
      expect(certificate.subject).toContain("O=SIMULATED - NOT A TEE");
      expect(certificate.issuer).toContain("O=SIMULATED - NOT A TEE");
    }
    expect(policy.images[0].name).toBe("simulated");
  });

  test("a simulated TEE is readable only by its owner, and lacks the root's private key", async () => {
    expect((await stat(files.tee)).mode & 0o777).toBe(0o600);
    const text = await readFile(files.tee, "utf8");
    expect(text.match(/BEGIN PRIVATE KEY/g)).toHaveLength(1);
    for (const path of [files.root, files.policy]) {
      expect(await readFile(path, "utf8")).not.toContain("PRIVATE");
    }
  });
});

describe("another file is refused without repeating its content", () => {
  test.each([
    ["no JSON", "secret"],
    ["something else", '{"secret":1}'],
    ["a damaged key", "damaged"],
  ])(
    "a file that is not a simulated TEE is refused without repeating its content: %s",
    async (_name, text) => {
      const path = join(folder, "bad.json");
      const good = JSON.parse(await readFile(files.tee, "utf8"));
      await writeFile(
        path,
        text === "damaged" ? JSON.stringify({ ...good, pck_key: "secret" }) : text,
      );
      await expect(readSimulatedTee(path)).rejects.toMatchObject({
        code: "simulated_tee_unreadable",
        message: expect.not.stringContaining("secret"),
        hint: expect.stringContaining("earshot nodes simulate"),
      });
    },
  );
});
