import type { Refusal } from "./xrpc.ts";

export function whyRefused(host: string, { status, error, message }: Refusal): string {
  const said = [error, message].filter((part) => part !== "").join(": ");
  return `${new URL(host).host} refuses the login${said === "" ? ` with status ${status}` : ` (${said})`}`;
}

export function hintFor({ error }: Refusal): string {
  if (error === "AuthFactorTokenRequired") {
    return "that is the account's main password; make an app password";
  }
  if (error === "AccountTakedown") return "the account was taken down; use another one";
  return "look whether the app password still stands in the account's settings, else make another one";
}
