import type { SignInError } from "../../../../src/http/dashboard/contract.ts";

/** `caution` for what its reader did or can undo by beginning again. */
export type Refusal = { tone: "caution" | "danger"; title: string; text: string };

/** Why a sign-in did not come to its end, and what to do. */
const refusals: Readonly<Record<SignInError, Refusal>> = {
  denied: {
    tone: "caution",
    title: "You did not agree there",
    text: "Nothing was read and nothing is kept. Sign in again and agree, if you want an account here.",
  },
  expired: {
    tone: "caution",
    title: "That sign-in is not good any more",
    text: "One is good for a few minutes, once, in the browser that began it. Begin again from here. If that does not help, look whether the browser keeps cookies of this site.",
  },
  refused: {
    tone: "danger",
    title: "The code host refused this installation",
    text: "Nothing is wrong with your account: what is set up there for Earshot does not fit. Tell its operator; its log says why.",
  },
  not_allowed: {
    tone: "danger",
    title: "This installation is not open to your account",
    text: "Its operator says who may sign in. Ask to be let in, or sign in with another account.",
  },
  provider_failed: {
    tone: "danger",
    title: "The code host did not answer as it should",
    text: "Nothing is wrong with your account. Try again in a minute; if it stays so, its status page may know more.",
  },
  suspended: {
    tone: "danger",
    title: "This account is suspended",
    text: "Its keys are refused and it cannot sign in until an operator of this installation restores it. Ask there.",
  },
  too_many: {
    tone: "caution",
    title: "Too many sign-ins",
    text: "Too many came from your network within a minute, or you deleted your account here more than twice within a day. Try again in a minute; if it stays so, tomorrow.",
  },
};

/** What a word in the address of the sign-in page means; null for none. */
export function refusalOf(word: string | null): Refusal | null {
  if (word === null || word === "") return null;
  const [, known] = Object.entries(refusals).find(([name]) => name === word) ?? [];
  return known ?? unknown;
}

const unknown: Refusal = {
  tone: "danger",
  title: "That sign-in did not work",
  text: "Begin again from here.",
};
