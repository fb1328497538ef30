import { hash } from "node:crypto";
import { problem } from "../problems/write-problem.ts";

/**
 * Where a page of a webhook's deliveries begins, as a text for clients: the number that the delivery before it has within its
 * webhook, and which webhook that is, 22 bytes in base64url. It needs no seal: it says nothing of other webhooks, and is no
 * cursor of theirs.
 */
const numberBytes = 6;
const webhookBytes = 16;

export function writeDeliveryCursor(webhookId: string, number: number): string {
  const bytes = Buffer.alloc(numberBytes + webhookBytes);
  bytes.writeUIntBE(number, 0, numberBytes);
  bytes.set(markOf(webhookId), numberBytes);
  return bytes.toString("base64url");
}

/** The number within the webhook. Errors: `cursor_invalid` for a text that is no cursor of this webhook's list. */
export function readDeliveryCursor(webhookId: string, text: string): number {
  const bytes = Buffer.from(text, "base64url");
  const isOfWebhook =
    bytes.length === numberBytes + webhookBytes &&
    bytes.subarray(numberBytes).equals(markOf(webhookId));
  // Base64url is read leniently; only the text that was given out counts.
  if (!isOfWebhook || bytes.toString("base64url") !== text) {
    throw problem("cursor_invalid", "the cursor cannot be read", {
      hint: "send next_cursor exactly as it was received, to the same webhook, or leave it out for the newest deliveries",
    });
  }
  return bytes.readUIntBE(0, numberBytes);
}

function markOf(webhookId: string): Buffer {
  return hash("sha256", webhookId, "buffer").subarray(0, webhookBytes);
}
