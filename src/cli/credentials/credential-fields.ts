import { readFile } from "node:fs/promises";
import type { CredentialField } from "../../platforms/credential.ts";
import { wrongUse } from "../describe-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { optionFlag } from "./credential-kind-texts.ts";

type FieldValues = Record<string, string>;

const maxValueLength = 16_384;

const secretsHint =
  "run the command in a terminal, or use --secrets - and pass name=value lines on standard input";

/**
 * Reads public fields from `words`, and others from the file `secrets` (`-`: standard input) or
 * prompts, which do not echo secrets. Errors: `wrong_use`, never with a value.
 */
export async function readFields(
  fields: readonly CredentialField[],
  words: readonly string[],
  secrets: string | undefined,
  terminal: Terminal,
): Promise<FieldValues> {
  const values = fromWords(fields, words);
  if (secrets !== undefined) Object.assign(values, await fromSecrets(fields, secrets, terminal));
  for (const field of fields) {
    if (values[field.name] !== undefined) continue;
    if (secrets === undefined && terminal.input?.interactive === true) {
      const value = await promptFor(field, terminal.input);
      if (value !== "") values[field.name] = checkValue(field, value);
    }
    if (values[field.name] === undefined && !field.isOptional) throw missingField(field);
  }
  return values;
}

function fromWords(fields: readonly CredentialField[], words: readonly string[]): FieldValues {
  const values: FieldValues = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const [option = "", ...rest] = word.split("=");
    const field = fields.find(({ name }) => `--${optionFlag(name)}` === option);
    if (field === undefined) throw unknownWord(fields, option);
    if (field.isSecret) {
      throw wrongUse(`${option} is secret, and other users can read the command line`, secretsHint);
    }
    if (!word.includes("=")) index += 1;
    const value = word.includes("=") ? rest.join("=") : words[index];
    if (value === undefined || value.trim() === "")
      throw wrongUse(`${option} requires a value`, `use ${option} VALUE`);
    values[field.name] = checkValue(field, value);
  }
  return values;
}

async function fromSecrets(
  fields: readonly CredentialField[],
  secretsPath: string,
  { input }: Terminal,
): Promise<FieldValues> {
  const text =
    secretsPath === "-" ? ((await input?.readAll()) ?? "") : await readFile(secretsPath, "utf8");
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const requiredSecrets = fields.filter(({ isSecret, isOptional }) => isSecret && !isOptional);
  const values: FieldValues = {};
  for (const [index, line] of lines.entries()) {
    const name = line.slice(0, Math.max(0, line.indexOf("="))).trim();
    const namedField = fields.find(
      (field) => field.name === name || optionFlag(field.name) === name,
    );
    const onlyField =
      lines.length === 1 && requiredSecrets.length === 1 ? requiredSecrets[0] : undefined;
    const field = namedField ?? onlyField;
    if (field === undefined) {
      throw wrongUse(
        `line ${index + 1} of the secrets does not name a field of this kind`,
        `write ${fields.map((field) => `${field.name}=…`).join(", ")}, one per line`,
      );
    }
    const value = namedField === undefined ? line : line.slice(line.indexOf("=") + 1);
    values[field.name] = checkValue(field, value);
  }
  return values;
}

async function promptFor(
  field: CredentialField,
  input: NonNullable<Terminal["input"]>,
): Promise<string> {
  const question = `${optionFlag(field.name)} (${field.description}${field.isOptional ? "; empty for none" : ""})`;
  const value = field.isSecret ? await input.askSecret(question) : await input.ask(question);
  return value.trim();
}

function checkValue({ name }: CredentialField, value: string): string {
  const trimmedValue = value.trim();
  const isPlain = trimmedValue.length <= maxValueLength && !/\p{Cc}/u.test(trimmedValue);
  if (isPlain && trimmedValue !== "") return trimmedValue;
  throw wrongUse(
    `${optionFlag(name)} must be 1 to ${maxValueLength} characters without control characters`,
    "copy the value again",
  );
}

function missingField(field: CredentialField): Error {
  const option = optionFlag(field.name);
  return field.isSecret
    ? wrongUse(`${option} is required`, secretsHint)
    : wrongUse(`--${option} is required: ${field.description}`, `add --${option} VALUE`);
}

function unknownWord(fields: readonly CredentialField[], word: string): Error {
  const publicFields = fields.filter(({ isSecret }) => !isSecret);
  const options = publicFields.map(({ name }) => `--${optionFlag(name)} VALUE`).join(", ");
  // The word may be a misplaced secret, so only option names are shown.
  const argument = /^--[a-z-]{1,40}$/.test(word) ? word : "an argument after the kind";
  return wrongUse(
    `${argument} is not supported by this kind`,
    options === "" ? "remove it" : `use ${options}`,
  );
}
