import { type ClientRequest, type IncomingMessage, request } from "node:http";
import * as z from "zod";
import { parseUntrustedJson } from "../../../lib/bounded-json.ts";
import { EarshotError } from "../../../lib/errors.ts";
import { createJsonMeter } from "../../../lib/json-shape.ts";
import type { EvidenceProvider } from "../evidence.ts";

/** Where a guest agent of dstack listens inside its virtual machine. */
export const dstackSocket = "/var/run/dstack.sock";

const timeoutMs = 10_000;
const mostBytes = 524_288;

const answer = z.object({
  quote: z
    .string()
    .max(65_538)
    .transform((text) => text.replace(/^0x/, "").toLowerCase())
    .refine((text) => /^(?:[0-9a-f]{2})+$/.test(text)),
  event_log: z.string().max(262_144),
  vm_config: z.string().max(65_536).optional(),
});

/**
 * Quotes and event logs from the guest agent of dstack. Its socket is a matter of the image alone: the variable of the
 * environment that its own clients obey would let a host put a simulator in its place.
 */
export function dstackProvider(socketPath = dstackSocket): EvidenceProvider {
  return {
    kind: "tdx",
    evidenceFor: async (reportData) => {
      const text = await ask(socketPath, Buffer.from(reportData).toString("hex"));
      const read = answer.safeParse(parse(text));
      if (!read.success)
        throw fault("it answers with something else than a quote and an event log");
      const { quote, event_log, vm_config } = read.data;
      return { quote, event_log, vm_config: vm_config ?? null };
    },
  };
}

function ask(socketPath: string, reportData: string): Promise<Buffer> {
  const body = JSON.stringify({ report_data: reportData });
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const asked = request({
    socketPath,
    path: "/GetQuote",
    method: "POST",
    headers: {
      host: "dstack",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    },
    signal: AbortSignal.timeout(timeoutMs),
  });
  asked.on("error", (thrown) => reject(fault(reasonOf(thrown))));
  asked.on("response", (response) => {
    collect(asked, response).then(resolve, (thrown: unknown) => reject(fault(reasonOf(thrown))));
  });
  asked.end(body);
  return promise;
}

async function collect(asked: ClientRequest, response: IncomingMessage): Promise<Buffer> {
  if (response.statusCode !== 200) {
    asked.destroy();
    throw fault(`it answers with status ${response.statusCode}`);
  }
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response) {
    bytes += piece.length;
    if (bytes > mostBytes) {
      asked.destroy();
      throw fault(`its answer is longer than ${mostBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parse(text: Buffer): unknown {
  try {
    return createJsonMeter()(text).deepest > 8 ? null : parseUntrustedJson(text);
  } catch {
    return null;
  }
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "it cannot be asked";
  if (thrown.name === "EarshotError") return thrown.message;
  if (thrown.name === "AbortError" || thrown.name === "TimeoutError") {
    return `it has not answered within ${timeoutMs / 1000} s`;
  }
  return "code" in thrown ? String(thrown.code) : "it cannot be asked";
}

const fault = (reason: string) =>
  evidenceUnavailable(
    `the guest agent of dstack gives no quote: ${reason}`,
    `mount ${dstackSocket} into the container of the node`,
  );

/** A node that cannot show the evidence of its setting. */
export function evidenceUnavailable(message: string, hint: string): EarshotError {
  return new EarshotError("evidence_unavailable", message, { status: 503, retryable: true, hint });
}
