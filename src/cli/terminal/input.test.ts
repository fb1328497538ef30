import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createInput } from "./terminal.ts";

function open({ isTTY = true } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  const stop = new AbortController();
  const input = createInput(stdin, stderr, stop.signal);
  return { input, stdin, stop, shown: () => String(stderr.read() ?? "") };
}

test("a secret is read without echo", async () => {
  const { input, stdin, shown } = open();
  const secret = input.askSecret("token");
  stdin.write("canary-4f8e1b2c\u007fd\r");
  expect(await secret).toBe("canary-4f8e1b2d");
  expect(shown()).toBe("token: \n");
});

test("the terminal prompts for one line after another", async () => {
  const { input, stdin, shown } = open();
  const first = input.ask("host");
  stdin.write("mastodon.example\r");
  expect(await first).toBe("mastodon.example");
  expect(shown()).toContain("host: ");
  const second = input.askSecret("token");
  stdin.write("abc\r");
  expect(await second).toBe("abc");
});

test.for([
  ["Ctrl-C", "abc\u0003", "interrupted"],
  ["Ctrl-D", "\u0004", "input_ended"],
])("%s ends the prompt", async ([, typed = "", code]) => {
  const { input, stdin } = open();
  const secret = input.askSecret("token");
  stdin.write(typed);
  await expect(secret).rejects.toMatchObject({ code });
});

test("a signal ends the prompt with the signal's reason", async () => {
  const { input, stop } = open();
  const secret = input.askSecret("token");
  stop.abort(new Error("stopped"));
  await expect(secret).rejects.toThrow("stopped");
});

test("input that is not a terminal is read to its end, up to the size limit", async () => {
  const smallInput = open({ isTTY: false });
  expect(smallInput.input.interactive).toBe(false);
  smallInput.stdin.end("name=a\nother=b\n");
  expect(await smallInput.input.readAll()).toBe("name=a\nother=b\n");
  const largeInput = open({ isTTY: false });
  largeInput.stdin.end("x".repeat(300_000));
  await expect(largeInput.input.readAll()).rejects.toMatchObject({ code: "input_too_long" });
});
