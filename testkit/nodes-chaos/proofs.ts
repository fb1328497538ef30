import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeEnvironment, program } from "../service/server-process.ts";
import type { RequestedJob } from "./clients.ts";
import type { Deployment } from "./deployment.ts";
import type { CheckedProof } from "./report.ts";

const run = promisify(execFile);

export async function checkProofs(
  deployment: Deployment,
  requestedJobs: readonly RequestedJob[],
  count: number,
  folder: string,
): Promise<CheckedProof[]> {
  const step = Math.max(1, Math.floor(requestedJobs.length / count));
  const sample = requestedJobs.filter((_, index) => index % step === 0).slice(0, count);
  const results: CheckedProof[] = [];
  for (const job of sample) results.push(await checkProof(deployment, job, folder));
  return results;
}

async function checkProof(
  deployment: Deployment,
  job: RequestedJob,
  folder: string,
): Promise<CheckedProof> {
  const { uuid } = job;
  const { token = "" } = deployment.keys.get(job.client) ?? {};
  const response = await fetch(`${deployment.base}/v1/search/live/social/result/${uuid}/proof`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (!response.ok)
    return { uuid, evidence: "", verdict: `${response.status}: ${text.slice(0, 300)}` };
  const proof = join(folder, `${uuid}.proof`);
  const result = join(folder, `${uuid}.result`);
  writeFileSync(proof, text);
  writeFileSync(result, job.result ?? "");
  const { attestation } = JSON.parse(text) as {
    attestation: { statement: { evidence: string } };
  };
  const { evidence } = attestation.statement;
  const args = ["verify", proof, "--result", result, "--job", uuid, "--accept", "simulated,none"];
  args.push("--policy", join(deployment.simulatedDir, "policy.json"));
  try {
    await run(process.execPath, [program, ...args], { env: makeEnvironment(folder, {}) });
    return { uuid, evidence, verdict: "verified" };
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    return { uuid, evidence, verdict: `${stdout}${stderr}` };
  }
}
