// Writes dist/proof.js and its types: Earshot's own verifier (src/remote/proof) in one file.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import ts from "typescript";

const pathOf = (name) => new URL(name, import.meta.url).pathname;

await build({
  entryPoints: [pathOf("src/proof.ts")],
  outfile: pathOf("dist/proof.js"),
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "es2023",
  // Large and needed for quotes alone: an optional peer dependency.
  external: ["@phala/dcap-qvl"],
});

const { outputText } = ts.transpileDeclaration(readFileSync(pathOf("src/proof.ts"), "utf8"), {
  fileName: "proof.ts",
  compilerOptions: { target: ts.ScriptTarget.ES2022 },
});
writeFileSync(pathOf("dist/proof.d.ts"), outputText);
