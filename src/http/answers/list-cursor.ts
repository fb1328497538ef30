import type { ListPosition } from "../../jobs/job.ts";
import { problem } from "../problems/write-problem.ts";

const timeBytes = 6;
const positionBytes = timeBytes + 16;

/** Not encrypted: it reveals nothing of another account's list. */
export function writeListCursor({ submittedMs, uuid }: ListPosition): string {
  const bytes = Buffer.alloc(positionBytes);
  bytes.writeUIntBE(submittedMs, 0, timeBytes);
  bytes.write(uuid.replaceAll("-", ""), timeBytes, "hex");
  return bytes.toString("base64url");
}

/** Errors: `cursor_invalid`. */
export function readListCursor(text: string): ListPosition {
  const bytes = Buffer.from(text, "base64url");
  // Node decodes leniently.
  if (bytes.length !== positionBytes || bytes.toString("base64url") !== text) {
    throw problem("cursor_invalid", "invalid cursor", {
      hint: "send next_cursor unchanged, or omit it for the newest jobs",
    });
  }
  const hex = bytes.toString("hex", timeBytes);
  const uuid = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { submittedMs: bytes.readUIntBE(0, timeBytes), uuid };
}
