import fc from "fast-check";
import { expect, test } from "vitest";
import {
  readAuthorizationRequest,
  readRequestHead,
  responseLocation,
} from "./authorization-request.ts";
import { grantableMethods } from "./scopes.ts";

const resource = "https://search.example/mcp";
const valid = {
  response_type: "code",
  client_id: "https://app.example/client.json",
  redirect_uri: "https://app.example/callback?x=1",
  code_challenge: "A".repeat(43),
  code_challenge_method: "S256",
};
const getQuery = (parameters: Readonly<Record<string, string>>) =>
  new URLSearchParams(parameters).toString();

test("an authorization request without a scope and a resource requests all methods of the only resource", () => {
  const head = readRequestHead(getQuery(valid));
  expect(readAuthorizationRequest(head, resource)).toEqual({
    codeChallenge: valid.code_challenge,
    resource,
    methods: grantableMethods,
  });
});

test("the redirect contains the redirect URI's own query and the state", () => {
  const head = readRequestHead(getQuery({ ...valid, state: "a&b=c" }));
  const location = new URL(responseLocation(head, "https://search.example", { code: "c" }));
  expect(Object.fromEntries(location.searchParams)).toEqual({
    x: "1",
    code: "c",
    state: "a&b=c",
    iss: "https://search.example",
  });
});

test("any query string is either refused or parsed to a request with PKCE for the resource", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.webUrl(),
    fc.constantFrom("S256", "plain", "code", resource),
  );
  const changes = fc.dictionary(
    fc.constantFrom(...Object.keys(valid), "scope", "resource", "state", "response_mode"),
    value,
    { maxKeys: 2 },
  );
  const query = fc.oneof(
    fc.string({ unit: "binary" }),
    changes.map((changed) => getQuery({ ...valid, ...changed })),
  );
  fc.assert(
    fc.property(query, (text) => {
      try {
        const head = readRequestHead(text);
        const request = readAuthorizationRequest(head, resource);
        if ("error" in request) {
          expect(responseLocation(head, "https://search.example", request)).toContain("error=");
        } else {
          expect(request.codeChallenge).toMatch(/^[\w-]{43}$/);
          expect(request.resource).toBe(resource);
          expect(request.methods.length).toBeGreaterThan(0);
        }
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid_authorization_request" });
      }
    }),
  );
});
