import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "undici";
import * as z from "zod";
import type { EvidenceKind } from "../../jobs/result-signature.ts";
import { parseUntrustedJson } from "../../lib/bounded-json.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { EvidenceProvider } from "./evidence.ts";
import { readSimulatedTee } from "./simulated/simulated-folder.ts";

const dstackSocket = "/var/run/dstack.sock";
const timeoutMs = 10_000;
const maxBytes = 524_288;

/** Never falls back to another kind of evidence. */
export async function openProvider(
  kind: EvidenceKind,
  dataDir: string,
  socket = dstackSocket,
): Promise<EvidenceProvider> {
  if (kind === "none") {
    return { kind, evidenceFor: async () => ({ quote: null, event_log: null, vm_config: null }) };
  }
  if (kind === "simulated") {
    const tee = await readSimulatedTee(join(dataDir, "tee.json"));
    return { kind, evidenceFor: async (reportData) => tee.evidence(reportData) };
  }
  if (existsSync(socket)) return dstackProvider(socket);
  throw unavailable(
    `this is not a dstack virtual machine: ${socket} does not exist`,
    "run the node on a TDX machine with dstack, or set EARSHOT_NODE_EVIDENCE=none if the gateway accepts it",
  );
}

/** Ignores dstack's environment variable, with which the host could substitute a simulator. */
export function dstackProvider(socketPath: string): EvidenceProvider {
  return {
    kind: "tdx",
    evidenceFor: async (reportData) => {
      const body = JSON.stringify({ report_data: Buffer.from(reportData).toString("hex") });
      const { data } = quoteResponse.safeParse(await request(socketPath, body));
      if (data === undefined) throw noQuote("the response is not a quote with an event log");
      const { quote, event_log, vm_config } = data;
      return { quote, event_log, vm_config: vm_config ?? null };
    },
  };
}

const quoteResponse = z.object({
  quote: z
    .string()
    .max(65_538)
    .transform((text) => text.replace(/^0x/, "").toLowerCase())
    .refine((text) => /^(?:[0-9a-f]{2})+$/.test(text)),
  event_log: z.string().max(262_144),
  vm_config: z.string().max(65_536).optional(),
});

async function request(socketPath: string, body: string): Promise<unknown> {
  const client = new Client("http://dstack", { socketPath, maxResponseSize: maxBytes });
  try {
    const response = await client.request({
      path: "/GetQuote",
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const bytes = Buffer.from(await response.body.arrayBuffer());
    if (response.statusCode !== 200) throw noQuote(`it returned ${response.statusCode}`);
    return parseUntrustedJson(bytes);
  } catch (error) {
    if (error instanceof EarshotError && error.code === "evidence_unavailable") throw error;
    throw noQuote(error instanceof Error ? errorReason(error) : "it is unreachable");
  } finally {
    await client.destroy();
  }
}

/** Never repeats response content. */
function errorReason(error: Error): string {
  if (error.name === "TimeoutError") return `no response within ${timeoutMs / 1000} s`;
  return "code" in error ? String(error.code) : "the response is not JSON";
}

const noQuote = (reason: string) =>
  unavailable(
    `dstack's guest agent provides no quote: ${reason}`,
    `mount ${dstackSocket} into the node's container`,
  );

function unavailable(message: string, hint: string): EarshotError {
  return new EarshotError("evidence_unavailable", message, { status: 503, retryable: true, hint });
}
