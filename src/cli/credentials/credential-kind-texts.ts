import type { CredentialField, CredentialKind } from "../../platforms/credential.ts";
import { configFrom } from "../../server/config.ts";
import { wrongUse } from "../describe-error.ts";
import { wrap } from "../terminal/text-layout.ts";
import type { ListCredentialKinds } from "./with-credentials.ts";

/** `clientId` and `client_id` become `client-id`. */
export const optionFlag = (name: string): string =>
  name.replaceAll("_", "-").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Errors: `wrong_use`. */
export function findKind(
  kinds: readonly CredentialKind[],
  platform: string,
  name: string,
): CredentialKind {
  const kind = kinds.find((kind) => kind.platform === platform && kind.name === name);
  if (kind !== undefined) return kind;
  const kindNames = kinds.map((kind) => `${kind.platform} ${kind.name}`).join(", ");
  throw wrongUse(
    `${JSON.stringify(`${platform} ${name}`)} is not a kind of credential`,
    kindNames === "" ? "no kinds are supported" : `use ${kindNames}`,
  );
}

export function kindsText(listKinds: ListCredentialKinds, columns: number): string {
  const kinds = listKinds(configFrom({}), { resolveTxt: async () => [] });
  return kinds
    .flatMap(kindLines)
    .flatMap(({ indent, text }) => {
      const [first = "", ...more] = wrap(text, columns - indent - 2);
      return [
        `${" ".repeat(indent)}${first}`,
        ...more.map((line) => " ".repeat(indent + 2) + line),
      ];
    })
    .join("\n");
}

type Line = { indent: number; text: string };

function kindLines({ platform, name, description, fields, authorization }: CredentialKind): Line[] {
  const authorizationLines = (authorization?.fields ?? fields).map(fieldLine(4));
  const fieldLines = authorization === undefined ? [] : fields.map(fieldLine(6));
  return [
    { indent: 0, text: "" },
    { indent: 2, text: `${platform} ${name}` },
    { indent: 4, text: description },
    ...authorizationLines,
    ...(fieldLines.length === 0
      ? []
      : [{ indent: 4, text: "with --secrets, instead of a browser:" }]),
    ...fieldLines,
  ];
}

const fieldLine =
  (indent: number) =>
  ({ name, description, isSecret, isOptional }: CredentialField): Line => {
    const option = isSecret ? `${optionFlag(name)} (secret)` : `--${optionFlag(name)}`;
    return { indent, text: `${option}${isOptional ? ", optional" : ""}: ${description}` };
  };
