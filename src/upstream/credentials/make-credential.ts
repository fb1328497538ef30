import { stripControls } from "../../lib/controls.ts";
import { EarshotError, messageOf } from "../../lib/errors.ts";
import type {
  CredentialField,
  CredentialKind,
  CredentialTools,
  Dialogue,
  NewCredential,
} from "../../platforms/credential.ts";
import { redactedReason } from "../../platforms/without-secrets.ts";

type Given = Readonly<Record<string, string>>;

const longestName = 300;
const longestHint = 4;

/** Errors: `credential_invalid`, those of the fetch; without secrets. */
export async function makeCredential(
  kind: CredentialKind,
  given: Given,
  tools: CredentialTools,
): Promise<NewCredential> {
  const credential = await kind.make(given, tools).catch((thrown: unknown) => {
    throw withoutGiven(thrown, secretsIn(kind.fields, given));
  });
  return withinBounds(credential);
}

export async function authorizeCredential(
  { fields, run }: NonNullable<CredentialKind["authorization"]>,
  given: Given,
  tools: CredentialTools,
  dialogue: Dialogue,
): Promise<NewCredential> {
  const pasted: Record<string, string> = {};
  const prompt: Dialogue["prompt"] = async (question) => {
    const answer = await dialogue.prompt(question);
    Object.assign(pasted, valuesIn(answer, Object.keys(pasted).length));
    return answer;
  };
  const credential = await run(given, tools, { ...dialogue, prompt }).catch((thrown: unknown) => {
    throw withoutGiven(thrown, { ...secretsIn(fields, given), ...pasted });
  });
  return withinBounds(credential);
}

function secretsIn(fields: readonly CredentialField[], given: Given): Given {
  const secret = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return Object.fromEntries(secret.map((name) => [name, given[name] ?? ""]));
}

/** Includes URL parameters: an authorization code is secret. */
function valuesIn(answer: string, from: number): Given {
  const inAddress = URL.parse(answer)?.searchParams.values() ?? [];
  return Object.fromEntries([answer, ...inAddress].map((value, index) => [from + index, value]));
}

/** A platform's response may echo what it was sent. */
function withoutGiven(thrown: unknown, secrets: Given): Error {
  if (!(thrown instanceof EarshotError))
    return new Error(redactedReason(messageOf(thrown), secrets));
  const { code, message, status, retryable, hint } = thrown;
  return new EarshotError(code, redactedReason(message, secrets), {
    status,
    retryable,
    ...(hint === undefined ? {} : { hint: redactedReason(hint, secrets) }),
  });
}

function withinBounds(credential: NewCredential): NewCredential {
  const cut = (text: string | null) =>
    text === null ? null : stripControls(text).slice(0, longestName);
  return {
    ...credential,
    subject: cut(credential.subject),
    subjectName: cut(credential.subjectName),
    hint: stripControls(credential.hint).slice(0, longestHint),
  };
}
