import { type Image, openImage } from "./podman.ts";

/** An image that `.ci/container` has built from `deploy/Containerfile` (service) or `deploy/tee/Containerfile` (node). */
export function imageOf(kind: "service" | "node"): Image {
  const name = process.env[`EARSHOT_TEST_${kind.toUpperCase()}_IMAGE`];
  if (name === undefined) throw new Error("no image to test: run .ci/container");
  return openImage(name);
}
