import { hash } from "node:crypto";
import { problem } from "../problems/write-problem.ts";

const numberBytes = 6;
const webhookBytes = 16;

/** Not encrypted: it reveals nothing of other webhooks and is invalid for them. */
export function writeDeliveryCursor(webhookId: string, number: number): string {
  const bytes = Buffer.alloc(numberBytes + webhookBytes);
  bytes.writeUIntBE(number, 0, numberBytes);
  bytes.set(webhookTag(webhookId), numberBytes);
  return bytes.toString("base64url");
}

/** Errors: `cursor_invalid`. */
export function readDeliveryCursor(webhookId: string, text: string): number {
  const bytes = Buffer.from(text, "base64url");
  const isForWebhook =
    bytes.length === numberBytes + webhookBytes &&
    bytes.subarray(numberBytes).equals(webhookTag(webhookId));
  // Node decodes leniently.
  if (!isForWebhook || bytes.toString("base64url") !== text) {
    throw problem("cursor_invalid", "invalid cursor", {
      hint: "send next_cursor unchanged to the same webhook, or omit it for the newest deliveries",
    });
  }
  return bytes.readUIntBE(0, numberBytes);
}

function webhookTag(webhookId: string): Buffer {
  return hash("sha256", webhookId, "buffer").subarray(0, webhookBytes);
}
