import { hash } from "node:crypto";
import type { ListPosition } from "../../jobs/job.ts";
import { problem } from "../problems/write-problem.ts";

const timeBytes = 6;
const positionBytes = timeBytes + 16;

/** Not encrypted, because it reveals nothing about another account's list. */
export function writeListCursor({ submittedMs, uuid }: ListPosition): string {
  const bytes = Buffer.alloc(positionBytes);
  bytes.writeUIntBE(submittedMs, 0, timeBytes);
  bytes.write(uuid.replaceAll("-", ""), timeBytes, "hex");
  return bytes.toString("base64url");
}

/** Errors: `cursor_invalid`. */
export function readListCursor(text: string): ListPosition {
  const bytes = Buffer.from(text, "base64url");
  // Node's decoder ignores invalid characters.
  if (bytes.length !== positionBytes || bytes.toString("base64url") !== text) {
    throw problem("cursor_invalid", "invalid cursor", {
      hint: "send next_cursor unchanged, or omit it for the newest jobs",
    });
  }
  const hex = bytes.toString("hex", timeBytes);
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { submittedMs: bytes.readUIntBE(0, timeBytes), uuid };
}

const numberBytes = 6;
const webhookBytes = 16;

/** Not encrypted, because it reveals nothing about other webhooks and is invalid for them. */
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
  // Node's decoder ignores invalid characters.
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
