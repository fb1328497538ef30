import type { LookupAddress } from "node:dns";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EarshotError } from "./errors.ts";
import { createGuard, isPublicAddress, type Resolve } from "./guard.ts";

const resolvingTo =
  (...addresses: string[]): Resolve =>
  (_hostname, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );

const failingWith =
  (code: string): Resolve =>
  (_hostname, _options, done) =>
    done(Object.assign(new Error("the lookup failed"), { code }), []);

function resolved(url: string, resolve: Resolve, all = true, configured: string[] = []) {
  return new Promise<{ code: unknown; found: string | LookupAddress[] }>((settle) => {
    const lookup = createGuard(configured, { resolve }).lookupFor(new URL(url));
    lookup(new URL(url).hostname, { all }, (error, found) =>
      settle({ code: error === null ? null : error.code, found }),
    );
  });
}

describe("classification of addresses in every notation", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001:0:4136:e378::",
    "2001:db8::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fd00::1",
    "ff02::1",
    "not an address",
    "",
  ])("the guard refuses %j as not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(["8.8.8.8", "1.1.1.1", "134744072", "2606:4700:4700::1111", "::ffff:8.8.8.8"])(
    "the guard accepts %j as public",
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test("the guard accepts no notation of a private IPv4 address as public", () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const written = (value: number) =>
      fc.constantFrom(String(value), `0x${value.toString(16)}`, `0${value.toString(8)}`);
    const privateAddress = fc
      .tuple(fc.constantFrom(10, 127), octet, octet, octet)
      .chain(([a, b, c, d]) =>
        fc.oneof(
          fc.tuple(written(a), written(b), written(c), written(d)).map((parts) => parts.join(".")),
          written(((a * 256 + b) * 256 + c) * 256 + d),
          fc.constant(`::ffff:${a}.${b}.${c}.${d}`),
          fc.constant(`::${a}.${b}.${c}.${d}`),
        ),
      );
    fc.assert(
      fc.property(privateAddress, (address) => {
        expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });

  test("the guard classifies any text without an error", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(typeof isPublicAddress(text)).toBe("boolean");
      }),
    );
  });
});

describe("guard", () => {
  test.each([
    "ws://127.0.0.1/x",
    "ws://2130706433/x",
    "ws://0x7f.1/x",
    "ws://[::1]/x",
    "ws://[::ffff:127.0.0.1]/x",
    "ws://169.254.169.254/x",
  ])("the guard refuses %s before any lookup", (url) => {
    const unused: Resolve = () => {
      throw new Error("looked up");
    };
    expect(() => createGuard([], { resolve: unused }).lookupFor(new URL(url))).toThrow(
      /not a public address/,
    );
  });

  test("the guard refuses a name if any of its addresses is not public", async () => {
    const outcome = await resolved("wss://name.example", resolvingTo("8.8.8.8", "10.0.0.1"));
    expect(outcome.code).toBe("upstream_unreachable");
  });

  test.each<[string, Resolve]>([
    ["resolves to a private address", resolvingTo("10.1.2.3")],
    ["resolves to a loopback address", resolvingTo("127.0.0.1", "::1")],
    ["has a public and a private address", resolvingTo("8.8.8.8", "10.1.2.3")],
    ["has no address", resolvingTo()],
    ["does not exist", failingWith("ENOTFOUND")],
    ["cannot be looked up now", failingWith("EAI_AGAIN")],
  ])("the guard fails with the same error for a name that %s", (_, resolve) => {
    const lookup = createGuard([], { resolve }).lookupFor(new URL("https://x.example"));
    let thrown: unknown = null;
    lookup("x.example", {}, (error) => {
      thrown = error;
    });
    expect(thrown).toBeInstanceOf(EarshotError);
    const { code, message, status, retryable, hint } = thrown as unknown as EarshotError;
    expect({ code, message, status, retryable, hint }).toEqual({
      code: "upstream_unreachable",
      message: "x.example does not resolve to a public address",
      status: 502,
      retryable: true,
      hint: "only public addresses and configured hosts are allowed",
    });
  });

  test("the guard does not reveal the private address of a name", () => {
    const lookup = createGuard([], { resolve: resolvingTo("10.1.2.3") }).lookupFor(
      new URL("https://x.example"),
    );
    let cause: unknown;
    lookup("x.example", {}, (error) => {
      cause = error?.cause;
    });
    expect(String(cause)).toContain("x.example resolves to an address that is not public");
    expect(String(cause)).not.toContain("10.1.2.3");
  });

  test.each([
    ["http://127.0.0.1:8080/oauth/token", "http://127.0.0.1:8080"],
    ["wss://inside.example/stream", "https://inside.example"],
  ])("the guard's refusal of %s names the setting that allows %s", (url, origin) => {
    const guard = createGuard([], {
      setting: "EARSHOT_SOME_HOSTS",
      resolve: resolvingTo("10.1.2.3"),
    });
    let hint: string | undefined;
    try {
      guard.lookupFor(new URL(url))(new URL(url).hostname, {}, (error) => {
        hint = (error as EarshotError | null)?.hint;
      });
    } catch (thrown) {
      hint = (thrown as EarshotError).hint;
    }
    expect(hint).toBe(`if it is a server on your own network, add ${origin} to EARSHOT_SOME_HOSTS`);
  });

  test("the guard refuses a name without an address", async () => {
    expect((await resolved("wss://name.example", resolvingTo())).code).toBe("upstream_unreachable");
  });

  test("the guard checks each lookup again, so that a name cannot change to a private address later", async () => {
    const answers = ["8.8.8.8", "127.0.0.1"];
    const rebinding: Resolve = (_hostname, _options, done) =>
      done(null, [{ address: answers.shift() ?? "", family: 4 }]);
    expect((await resolved("wss://name.example", rebinding)).code).toBeNull();
    expect((await resolved("wss://name.example", rebinding)).code).toBe("upstream_unreachable");
  });

  test("the guard returns all public addresses, or the first if one is requested", async () => {
    const resolve = resolvingTo("8.8.8.8", "1.1.1.1");
    expect((await resolved("wss://name.example", resolve)).found).toHaveLength(2);
    expect((await resolved("wss://name.example", resolve, false)).found).toBe("8.8.8.8");
  });

  test("the guard reports why the lookup of a configured host failed", async () => {
    const configured = ["wss://name.example"];
    const failing = failingWith("ENOTFOUND");
    expect((await resolved("wss://name.example", failing, true, configured)).code).toBe(
      "ENOTFOUND",
    );
  });

  test("the guard allows a configured host and port, and no other port of it", async () => {
    const configured = ["ws://127.0.0.1:9000/subscribe", "ws://inside.example/subscribe"];
    const guard = createGuard(configured);
    expect(() => guard.lookupFor(new URL("ws://127.0.0.1:9000/other"))).not.toThrow();
    expect(() => guard.lookupFor(new URL("ws://127.0.0.1:9001/subscribe"))).toThrow();
    const inside = resolvingTo("10.0.0.1");
    expect((await resolved("ws://inside.example:80/", inside, true, configured)).code).toBeNull();
    expect((await resolved("ws://inside.example:81/", inside, true, configured)).code).toBe(
      "upstream_unreachable",
    );
  });
});
