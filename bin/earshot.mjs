#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: early versions of Node 12 do not support it
// Starts the command line with a supported version of Node. Uses old syntax: see node-version.mjs.
import childProcess from "child_process";
import fs from "fs";
import module from "module";
import os from "os";
import path from "path";
import { pathToFileURL } from "url";
import { installedNode, isNewEnough, root, unsupportedNode } from "./node-version.mjs";

// This variable is set in the process that an unsupported Node starts in its place.
const relaunched = "NODE_EARSHOT_RELAUNCHED";

if (isNewEnough(process.version)) {
  endWithParent();
  run();
} else {
  const node = installedNode();
  if (node === null) {
    process.stderr.write(unsupportedNode(process.version));
    process.exitCode = 1;
  } else {
    runOn(node);
  }
}

// A checkout runs its sources; the published package contains only `dist`.
function run() {
  const source = path.join(root, "src", "cli", "main.ts");
  const inCheckout = fs.existsSync(source);
  const cache = path.join(
    inCheckout ? path.join(root, "node_modules", ".cache") : userCache(),
    "earshot",
  );
  module.enableCompileCache(cache);
  // Each worker thread has its own compile cache, configured by the environment.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || cache;
  const file = inCheckout ? source : path.join(root, "dist", "server", "main.js");
  import(pathToFileURL(file).href).then((loaded) => loaded.runCommandLine(), failToLoad);
}

// A killed parent cannot forward its signal, but its exit closes the IPC channel, on which this
// process kills itself.
function endWithParent() {
  if (process.env[relaunched] === undefined) return;
  delete process.env[relaunched];
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  if (process.channel) process.channel.unref();
  else process.kill(process.pid, "SIGKILL");
}

function failToLoad(error) {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  process.stderr.write(`earshot: ${error.message.split("\n")[0]} – run \`npm ci\` first\n`);
  process.exitCode = 1;
}

function userCache() {
  return process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
}

// Runs the same command line with another Node; passes on signals and the exit status.
function runOn(node) {
  const args = process.argv.slice(1);
  const child = childProcess.spawn(node, args, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: Object.assign({}, process.env, { [relaunched]: "1" }),
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, forward);
  function forward(signal) {
    child.kill(signal);
  }
  child.on("error", (error) => {
    process.stderr.write(
      `earshot: cannot start ${node}: ${error.message} – run \`npm ci\` again\n`,
    );
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeListener(name, forward);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}
