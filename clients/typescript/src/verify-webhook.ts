import type { JobEvent } from "./types.ts";

const toleranceSeconds = 300;

/**
 * Returns the event in a webhook request, whose `body` must be unparsed. Throws if it was not
 * signed with the secret, or is more than five minutes old. Ignore a repeated `webhook-id`.
 */
export async function verifyWebhook(
  secret: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string,
): Promise<JobEvent> {
  const headerText = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    return Array.isArray(value) ? value.join(" ") : (value ?? "");
  };
  const [id, timestamp] = [headerText("webhook-id"), headerText("webhook-timestamp")];
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds;
  if (!isRecent) throw new Error("the webhook's timestamp is missing or too old");
  const key = await crypto.subtle.importKey(
    "raw",
    listBytes(secret.replace(/^whsec_/, "")),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of headerText("webhook-signature").split(" ")) {
    if (!signature.startsWith("v1,")) continue;
    const signatureBytes = listBytes(signature.slice(3));
    if (await crypto.subtle.verify("HMAC", key, signatureBytes, signed))
      return JSON.parse(body) as JobEvent;
  }
  throw new Error("the webhook is not signed with this secret");
}

/** Empty if not base64. */
function listBytes(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
