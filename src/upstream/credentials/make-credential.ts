import { stripControls } from "../../lib/controls.ts";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import type {
  CredentialField,
  CredentialKind,
  CredentialTools,
  Dialogue,
  NewCredential,
} from "../../platforms/credential.ts";
import { redactedReason } from "../../platforms/without-secrets.ts";

type FieldValues = Readonly<Record<string, string>>;

const maxNameLength = 300;
const maxHintLength = 4;

/** Errors: `credential_invalid`, and those of the fetch, with secrets redacted. */
export async function makeCredential(
  kind: CredentialKind,
  values: FieldValues,
  tools: CredentialTools,
): Promise<NewCredential> {
  const credential = await kind.make(values, tools).catch((thrown: unknown) => {
    throw redactInput(thrown, secretsIn(kind.fields, values));
  });
  return limitLengths(credential);
}

export async function authorizeCredential(
  { fields, run }: NonNullable<CredentialKind["authorization"]>,
  values: FieldValues,
  tools: CredentialTools,
  dialogue: Dialogue,
): Promise<NewCredential> {
  const pastedValues: Record<string, string> = {};
  const prompt: Dialogue["prompt"] = async (question) => {
    const answer = await dialogue.prompt(question);
    Object.assign(pastedValues, valuesIn(answer, Object.keys(pastedValues).length));
    return answer;
  };
  const credential = await run(values, tools, { ...dialogue, prompt }).catch((thrown: unknown) => {
    throw redactInput(thrown, { ...secretsIn(fields, values), ...pastedValues });
  });
  return limitLengths(credential);
}

function secretsIn(fields: readonly CredentialField[], values: FieldValues): FieldValues {
  const secretNames = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  return Object.fromEntries(secretNames.map((name) => [name, values[name] ?? ""]));
}

/** Includes URL parameters, because an authorization code is secret. */
function valuesIn(answer: string, startIndex: number): FieldValues {
  const urlParameters = URL.parse(answer)?.searchParams.values() ?? [];
  return Object.fromEntries(
    [answer, ...urlParameters].map((value, index) => [startIndex + index, value]),
  );
}

/** A response may echo what was sent. */
function redactInput(thrown: unknown, secrets: FieldValues): Error {
  if (!(thrown instanceof EarshotError))
    return new Error(redactedReason(errorMessage(thrown), secrets));
  const { code, message, status, retryable, hint } = thrown;
  return new EarshotError(code, redactedReason(message, secrets), {
    status,
    retryable,
    ...(hint === undefined ? {} : { hint: redactedReason(hint, secrets) }),
  });
}

function limitLengths(credential: NewCredential): NewCredential {
  const truncate = (text: string | null) =>
    text === null ? null : stripControls(text).slice(0, maxNameLength);
  return {
    ...credential,
    subject: truncate(credential.subject),
    subjectName: truncate(credential.subjectName),
    hint: stripControls(credential.hint).slice(0, maxHintLength),
  };
}
