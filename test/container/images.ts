import { type Image, openImage } from "./podman.ts";

/** Returns an image that `.ci/container` built. */
export function requireImage(kind: "service" | "node"): Image {
  const name = process.env[`EARSHOT_TEST_${kind.toUpperCase()}_IMAGE`];
  if (name === undefined) throw new Error("no image to test: run .ci/container");
  return openImage(name);
}
