import fc from "fast-check";
import { expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import { readClientDocument, requireClientUrl } from "./fetch-client-document.ts";

const clientId = "https://app.example/client.json";
const valid = {
  client_id: clientId,
  client_name: "Reader",
  redirect_uris: ["https://app.example/callback"],
};

test("unknown members of a client metadata document are ignored", () => {
  expect(readClientDocument(clientId, { ...valid, logo_uri: 5 })).toEqual({
    clientId,
    name: "Reader",
    redirectUris: valid.redirect_uris,
  });
});

test("any JSON is either refused or parsed to a valid client metadata document", () => {
  const member = fc.constantFrom(...Object.keys(valid), "token_endpoint_auth_method", "__proto__");
  const changedDocument = fc
    .tuple(member, fc.jsonValue())
    .map(([name, value]) => ({ ...valid, [name]: value }));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), changedDocument), (json) => {
      try {
        const document = readClientDocument(clientId, json);
        expect(document.clientId).toBe(clientId);
        expect(document.name.length).toBeGreaterThan(0);
        expect(document.redirectUris.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(EarshotError);
        expect(error).toMatchObject({ code: "client_not_accepted" });
      }
    }),
  );
});

test("an accepted client ID is an HTTPS URL that parsing does not change", () => {
  const clientIds = fc.oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: "binary" }).map((tail) => `https://app.example/${tail}`),
  );
  fc.assert(
    fc.property(clientIds, (id) => {
      try {
        const url = requireClientUrl(id);
        expect(url.href).toBe(id);
        expect(url.protocol).toBe("https:");
      } catch (error) {
        expect(error).toMatchObject({ code: "client_not_accepted" });
      }
    }),
  );
});
