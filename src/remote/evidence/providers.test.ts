import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { evidence, statement, tee } from "../../../testkit/nodes/evidence-under-test.ts";
import { type AgentError, startGuestAgent } from "../../../testkit/nodes/fake-guest-agent.ts";
import { hashReportData } from "../protocol/statement.ts";
import { dstackProvider, openProvider } from "./providers.ts";
import { writeSimulatedTee } from "./simulated/simulated-folder.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-evidence-"));
});
afterAll(() => rm(folder, { recursive: true }));

const reportData = hashReportData(statement);
const unavailable = expect.objectContaining({
  name: "EarshotError",
  code: "evidence_unavailable",
  retryable: true,
  hint: expect.stringMatching(/\S/),
});
const reportDataIn = (quote: string | null) => Buffer.from(quote ?? "", "hex").subarray(568, 632);

async function agent() {
  const socket = join(folder, "dstack.sock");
  const guestAgent = await startGuestAgent(socket, tee);
  closers.push(guestAgent.stop);
  return { socket, ...guestAgent };
}

describe("dstack's guest agent", () => {
  test("dstack's guest agent returns a quote for the report data, with its event log", async () => {
    const { socket, requests } = await agent();
    const provider = dstackProvider(socket);
    const providedEvidence = await provider.evidenceFor(reportData);
    expect(provider.kind).toBe("tdx");
    expect(reportDataIn(providedEvidence.quote)).toEqual(reportData);
    expect(providedEvidence).toMatchObject({ event_log: evidence.event_log, vm_config: "{}" });
    expect(requests).toEqual(["/GetQuote"]);
  });

  test.each<AgentError>(["error", "garbage", "no quote", "too long", "cut off"])(
    "dstack's guest agent provides no evidence if it fails with %s",
    async (error) => {
      const { socket, failWith } = await agent();
      failWith(error);
      await expect(dstackProvider(socket).evidenceFor(reportData)).rejects.toEqual(unavailable);
    },
  );

  test("a missing dstack guest agent provides no quote", async () => {
    const provider = dstackProvider(join(folder, "nowhere.sock"));
    await expect(provider.evidenceFor(reportData)).rejects.toEqual(unavailable);
  });
});

describe("a node provides the configured kind of evidence", () => {
  test("a node with evidence none provides nothing", async () => {
    const provider = await openProvider("none", folder);
    expect(provider.kind).toBe("none");
    expect(await provider.evidenceFor(reportData)).toEqual({
      quote: null,
      event_log: null,
      vm_config: null,
    });
  });

  test("a node with simulated evidence provides quotes of the TEE in the data folder", async () => {
    await writeSimulatedTee(join(folder, "tee"), Date.UTC(2026, 5, 1));
    const provider = await openProvider("simulated", join(folder, "tee"));
    expect(provider.kind).toBe("simulated");
    expect(reportDataIn((await provider.evidenceFor(reportData)).quote)).toEqual(reportData);
  });

  test("a node with simulated evidence but no file fails with an error that explains how to make it", async () => {
    await expect(openProvider("simulated", join(folder, "nowhere"))).rejects.toMatchObject({
      code: "simulated_tee_unreadable",
      hint: expect.stringContaining("earshot nodes simulate"),
    });
  });

  test("a node with TDX evidence provides the guest agent's evidence", async () => {
    const { socket } = await agent();
    const provider = await openProvider("tdx", folder, socket);
    expect((await provider.evidenceFor(reportData)).event_log).toBe(evidence.event_log);
  });

  test("a node with TDX evidence but no guest agent fails with an error, and provides no other evidence", async () => {
    const nowhere = join(folder, "nowhere.sock");
    await expect(openProvider("tdx", folder, nowhere)).rejects.toEqual(unavailable);
  });
});
