import { expect, test } from "vitest";
import { credentialInvalid } from "../../platforms/credential-errors.ts";
import { atField, checkFields } from "./field-values.ts";

const field = (name: string, isOptional = false) => ({
  name,
  label: name,
  description: name,
  isSecret: true,
  isOptional,
});
const fields = [field("host"), field("token"), field("note", true)];

test("the fields of a credential are trimmed, and empty ones are omitted", () => {
  const values = checkFields(fields, { host: " a.example\n", token: "abc", note: "  " });
  expect(values).toEqual({ host: "a.example", token: "abc" });
});

test("the error points to each credential field that is missing, unknown or malformed, and repeats no values", () => {
  const long = "canary".repeat(4_000);
  const checkInvalid = () =>
    checkFields(fields, { "a/b~": "canary", note: "canary\u0000", host: long });
  expect(checkInvalid).toThrow(
    expect.objectContaining({
      code: "credential_invalid",
      status: 422,
      details: [
        expect.objectContaining({ pointer: "/fields/a~1b~0" }),
        expect.objectContaining({ pointer: "/fields/host" }),
        expect.objectContaining({ pointer: "/fields/token", message: "a value is required" }),
        expect.objectContaining({ pointer: "/fields/note" }),
      ],
    }),
  );
  expect(checkInvalid).not.toThrow(/canary/);
});

test("names that are inherited from Object are not credential fields", () => {
  expect(() => checkFields([field("constructor")], {})).toThrow("a value is required");
});

test("an error of a credential kind points to the field that it names, or to the answer if it names the URL", () => {
  const error = atField(credentialInvalid("token: a.example refuses: no", "copy it"), fields);
  expect(error).toMatchObject({
    message: "a.example refuses: no",
    details: [{ pointer: "/fields/token", message: "a.example refuses: no", hint: "copy it" }],
  });
  const pasted = atField(credentialInvalid("the URL: it has no code"), fields);
  expect(pasted.message).toBe("the URL: it has no code");
  expect(pasted.details).toMatchObject([{ pointer: "/answer" }]);
  const otherError = credentialInvalid("a.example: refuses");
  expect(atField(otherError, fields)).toBe(otherError);
});
