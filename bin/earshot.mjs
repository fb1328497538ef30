#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: the first versions of Node 12 do not know it
// Starts the command line on a Node that can run it. Old syntax on purpose: see node-version.mjs.
import childProcess from "child_process";
import fs from "fs";
import module from "module";
import os from "os";
import path from "path";
import { pathToFileURL } from "url";
import { installedNode, isNewEnough, refusal, root } from "./node-version.mjs";

// Marks the process that another Node has started in its place.
const handedOver = "NODE_EARSHOT_HANDED_OVER";

if (isNewEnough(process.version)) {
  endWithParent();
  run();
} else {
  const node = installedNode();
  if (node === null) {
    process.stderr.write(refusal(process.version));
    process.exitCode = 1;
  } else {
    runOn(node);
  }
}

// A checkout runs its sources as they are; what is published holds `dist`.
function run() {
  const source = path.join(root, "src", "cli", "main.ts");
  const inCheckout = fs.existsSync(source);
  const cache = path.join(
    inCheckout ? path.join(root, "node_modules", ".cache") : userCache(),
    "earshot",
  );
  module.enableCompileCache(cache);
  // Worker threads keep their own, and are told by the environment.
  process.env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE || cache;
  const file = inCheckout ? source : path.join(root, "dist", "server", "main.js");
  import(pathToFileURL(file).href).then((loaded) => loaded.runCommandLine(), failToLoad);
}

// A parent that is killed cannot pass that on, but its end closes the channel between the two: then this process ends as abruptly.
function endWithParent() {
  if (process.env[handedOver] === undefined) return;
  delete process.env[handedOver];
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

// Runs the same command line on another Node, passes signals on, and ends as it ended.
function runOn(node) {
  const args = process.argv.slice(1);
  const child = childProcess.spawn(node, args, {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: Object.assign({}, process.env, { [handedOver]: "1" }),
  });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const signal of signals) process.on(signal, passOn);
  function passOn(signal) {
    child.kill(signal);
  }
  child.on("error", (error) => {
    process.stderr.write(
      `earshot: cannot start ${node}: ${error.message} – run \`npm ci\` again\n`,
    );
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    for (const name of signals) process.removeListener(name, passOn);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}
