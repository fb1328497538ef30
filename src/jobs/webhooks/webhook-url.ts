import { hasBlockedPort } from "../../lib/blocked-ports.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Guard } from "../../lib/guard.ts";

export const maxUrlLength = 2_048;

/** Returns the normalised URL; each delivery checks its address. Errors: `webhook_url_refused`. */
export function checkWebhookUrl(
  text: string,
  { guard, allowHttp }: { guard: Guard; allowHttp: "on" | "off" },
): string {
  const url = URL.parse(text);
  if (url === null)
    throw refusedUrl(
      "the webhook's URL is invalid",
      "send an absolute URL, such as https://host.example/path",
    );
  if (url.protocol !== "https:" && !(url.protocol === "http:" && allowHttp === "on")) {
    throw refusedUrl(`the webhook's URL must not begin with ${url.protocol}`, "use https://");
  }
  if (url.username !== "" || url.password !== "") {
    throw refusedUrl(
      "the webhook's URL must not contain a user name or password",
      "remove them, and verify webhook-signature instead",
    );
  }
  if (url.href.length > maxUrlLength)
    throw refusedUrl(`the webhook's URL is longer than ${maxUrlLength} characters after encoding`);
  if (hasBlockedPort(url)) {
    throw refusedUrl(
      `port ${url.port} in the webhook's URL is reserved for another service`,
      "omit the port, or use another, such as 8443",
    );
  }
  if (!isPublicHost(url, guard)) {
    throw refusedUrl(
      `${url.hostname} in the webhook's URL is not public`,
      "use a public host; EARSHOT_WEBHOOK_PRIVATE_HOSTS allows others",
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

function refusedUrl(message: string, hint?: string): EarshotError {
  const code = "webhook_url_refused";
  const optionalHint = hint === undefined ? {} : { hint };
  const details = [{ code, message, ...optionalHint, pointer: "/url" }];
  return new EarshotError(code, message, { status: 400, ...optionalHint, details });
}
