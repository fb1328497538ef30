import { isBlockedPort } from "../../lib/blocked-ports.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Guard } from "../../lib/guard.ts";

export const longestUrl = 2_048;

/** The resolved address is checked at each delivery. Errors: `webhook_url_refused`. */
export function checkWebhookUrl(
  written: string,
  { guard, allowHttp }: { guard: Guard; allowHttp: "on" | "off" },
): string {
  const url = URL.parse(written);
  if (url === null) throw refused("is no URL", "write it whole: https://host.example/path");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && allowHttp === "on")) {
    throw refused(`begins with ${url.protocol}, which is not called`, "begin it with https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw refused(
      "holds a user name or a password",
      "leave them out: webhook-signature proves who calls",
    );
  }
  if (url.href.length > longestUrl)
    throw refused(`is longer than ${longestUrl} characters when it is written out`);
  if (isBlockedPort(url)) {
    throw refused(
      `names port ${url.port}, which belongs to another service than the web and is not called`,
      "leave the port out, or listen on another one, such as 8443",
    );
  }
  if (!isPublicHost(url, guard)) {
    throw refused(
      `names ${url.hostname}, which is not public`,
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

function refused(why: string, hint?: string): EarshotError {
  const code = "webhook_url_refused";
  const message = `the webhook's address ${why}`;
  const help = hint === undefined ? {} : { hint };
  const details = [{ code, message, ...help, pointer: "/url" }];
  return new EarshotError(code, message, { status: 400, ...help, details });
}
