import { EarshotError } from "../../lib/errors.ts";
import type { Guard } from "../../lib/guard.ts";

export const longestUrl = 2_048;

/**
 * The address of a webhook as it will be called. Where a name leads is looked at when it is called; what can be told by the
 * address alone is told here. Errors: `webhook_url_refused`.
 */
export function checkWebhookUrl(
  written: string,
  { guard, allowHttp }: { guard: Guard; allowHttp: "on" | "off" },
): string {
  const url = URL.parse(written);
  if (url === null) throw refused("it is no address", "write it whole: https://host.example/path");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && allowHttp === "on")) {
    throw refused(`${url.protocol} addresses are not called`, "an address begins with https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(
      "it holds a user name or a password",
      "leave them out: webhook-signature proves who calls",
    );
  }
  if (url.href.length > longestUrl) throw refused(`it is longer than ${longestUrl} characters`);
  if (!isPublicHost(url, guard)) {
    throw refused(
      `${url.hostname} is not public`,
      "name a host of the public internet; EARSHOT_WEBHOOK_PRIVATE_HOSTS allows others",
    );
  }
  url.hash = "";
  return url.href;
}

function isPublicHost(url: URL, guard: Guard): boolean {
  try {
    guard.lookupFor(url);
    return true;
  } catch {
    return false;
  }
}

function refused(message: string, hint?: string): EarshotError {
  return new EarshotError("webhook_url_refused", message, {
    status: 400,
    ...(hint === undefined ? {} : { hint }),
  });
}
