import { Buffer as NodeBuffer } from "node:buffer";
import { expect, it } from "vitest";
import { Buffer } from "./node-buffer.ts";

it.each(["", "a".repeat(100), "ы".repeat(60), "台風🎉".repeat(20)])(
  "cuts %j as Node does",
  (text) => {
    expect(Buffer.byteLength(text)).toBe(NodeBuffer.byteLength(text));
    const [own, node] = [Buffer.from(text), NodeBuffer.from(text)];
    expect([...own]).toEqual([...node]);
    for (const end of [0, 20, 40]) {
      expect(own.toString("utf8", 0, end)).toBe(node.toString("utf8", 0, end));
    }
  },
);
