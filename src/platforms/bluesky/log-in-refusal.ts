import type { Refusal } from "./xrpc.ts";

export function whyRefused(host: string, { status, error, message }: Refusal): string {
  const output = [error, message].filter((part) => part !== "").join(": ");
  return `${new URL(host).host} refuses the login${output === "" ? ` with status ${status}` : ` (${output})`}`;
}

export function hintFor({ error }: Refusal): string {
  if (error === "AuthFactorTokenRequired") {
    return "that is the account's main password; make an app password";
  }
  if (error === "AccountTakedown") return "the account was taken down; use another one";
  return "check that the app password is still in the account's settings, or make another one";
}
