import type { Refusal } from "./xrpc.ts";

export function refusalMessage(host: string, { status, error, message }: Refusal): string {
  const reason = [error, message].filter((part) => part !== "").join(": ");
  return `${new URL(host).host} refused the login (${reason === "" ? status : reason})`;
}

export function hintFor({ error }: Refusal): string {
  if (error === "AuthFactorTokenRequired") {
    return "create an app password: this is the account's main password";
  }
  if (error === "AccountTakedown") return "use another account: this one was taken down";
  return "check that the app password still exists, or create another";
}
