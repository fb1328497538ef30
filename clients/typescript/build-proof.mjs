// Bundles the proof verifier (src/remote/proof) into dist/proof.js, with its types.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import ts from "typescript";

const filePath = (name) => new URL(name, import.meta.url).pathname;

await build({
  entryPoints: [filePath("src/proof.ts")],
  outfile: filePath("dist/proof.js"),
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "es2023",
  // An optional peer dependency, because it is large and only quotes need it.
  external: ["@phala/dcap-qvl"],
});

const { outputText } = ts.transpileDeclaration(readFileSync(filePath("src/proof.ts"), "utf8"), {
  fileName: "proof.ts",
  compilerOptions: { target: ts.ScriptTarget.ES2022 },
});
writeFileSync(filePath("dist/proof.d.ts"), outputText);
