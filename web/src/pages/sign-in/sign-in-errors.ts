import type { SignInError } from "../../../../src/http/dashboard/contract/session.ts";

/** `caution` if the user can resolve it by starting again. */
export type Refusal = { tone: "caution" | "danger"; title: string; text: string };

const refusals: Readonly<Record<SignInError, Refusal>> = {
  denied: {
    tone: "caution",
    title: "Sign-in cancelled",
    text: "Nothing was read or stored. To get an account, sign in again and approve.",
  },
  expired: {
    tone: "caution",
    title: "Sign-in expired",
    text: "A sign-in works once, for a few minutes, in the browser that started it. Start again from here. If that fails, check that your browser accepts cookies from this site.",
  },
  refused: {
    tone: "danger",
    title: "The code host rejected this installation",
    text: "Your account is fine: this server's OAuth settings are wrong. Tell the operator; the server log has the reason.",
  },
  not_allowed: {
    tone: "danger",
    title: "Your account is not allowed here",
    text: "The operator decides who can sign in. Ask for access, or sign in with another account.",
  },
  provider_failed: {
    tone: "danger",
    title: "The code host returned an error",
    text: "Your account is fine. Try again in a minute; if it keeps failing, check the code host's status page.",
  },
  suspended: {
    tone: "danger",
    title: "This account is suspended",
    text: "Its keys are rejected and it cannot sign in until an operator restores it. Contact the operator.",
  },
  too_many: {
    tone: "caution",
    title: "Too many sign-ins",
    text: "There were too many sign-ins from your network within a minute, or you deleted your account more than twice within a day. Try again in a minute, or tomorrow.",
  },
};

export function findRefusal(code: string | null): Refusal | null {
  if (code === null || code === "") return null;
  const [, refusal] = Object.entries(refusals).find(([name]) => name === code) ?? [];
  return refusal ?? unknownRefusal;
}

const unknownRefusal: Refusal = {
  tone: "danger",
  title: "Sign-in failed",
  text: "Start again from here.",
};
