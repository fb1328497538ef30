import { expect, test } from "vitest";
import { cleartextGatewayWarning, cleartextWarning } from "./cleartext.ts";
import { configFrom } from "./config.ts";

const getWarning = (settings: Record<string, string>) => cleartextWarning(configFrom(settings));

test.each(["0.0.0.0", "::", "192.0.2.7", "127.evil.example"])(
  "the server warns about cookies if it listens on %s without a public URL",
  (host) => {
    expect(getWarning({ EARSHOT_HOST: host })).toContain("EARSHOT_PUBLIC_URL");
  },
);

test("the server warns about cookies if the public URL does not use TLS", () => {
  const settings = { EARSHOT_HOST: "0.0.0.0", EARSHOT_PUBLIC_URL: "http://earshot.example" };
  expect(getWarning(settings)).toContain("https");
});

test("the server does not warn about cookies on a loopback address or with an https public URL", () => {
  for (const host of ["127.0.0.1", "127.0.0.53", "::1", "localhost"]) {
    expect(getWarning({ EARSHOT_HOST: host })).toBeNull();
  }
  const settings = { EARSHOT_HOST: "0.0.0.0", EARSHOT_PUBLIC_URL: "https://earshot.example" };
  expect(getWarning(settings)).toBeNull();
});

const getGatewayWarning = (gateway: string, key?: string) =>
  cleartextGatewayWarning(
    configFrom({
      EARSHOT_NODE_GATEWAY: gateway,
      ...(key === undefined ? {} : { EARSHOT_NODE_GATEWAY_KEY: key }),
    }).node,
  );

test("a node warns about a remote gateway without TLS", () => {
  const gateway = "http://gateway.example:8080/search";
  expect(getGatewayWarning(gateway)).toContain("EARSHOT_NODE_GATEWAY_KEY");
  const warning = getGatewayWarning(gateway, "A".repeat(43));
  expect(warning).toContain("connects to the gateway at http://gateway.example:8080 without TLS");
  expect(warning).not.toContain("EARSHOT_NODE_GATEWAY_KEY");
});

test.each(["https://gateway.example", "http://127.0.0.1:8080", "http://localhost", "http://[::1]"])(
  "a node does not warn about a gateway at %s",
  (gateway) => {
    expect(getGatewayWarning(gateway)).toBeNull();
  },
);
