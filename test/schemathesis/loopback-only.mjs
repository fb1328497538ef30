import { appendFileSync } from "node:fs";
import { Socket } from "node:net";

/**
 * Preloaded into the server (NODE_OPTIONS=--import): refuses connections to other machines and logs them to
 * LOOPBACK_ONLY_REFUSED.
 */
const loopback = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;
const { connect } = Socket.prototype;

Socket.prototype.connect = function connectLocally(...args) {
  const [first] = args;
  const options = Array.isArray(first) ? first[0] : first;
  const host = typeof options === "object" && options !== null ? options.host : args[1];
  const isLocal =
    typeof options === "object" && options?.path !== undefined
      ? true
      : loopback.test(host ?? "localhost");
  if (isLocal) return connect.apply(this, args);
  const file = process.env.LOOPBACK_ONLY_REFUSED;
  if (file !== undefined) appendFileSync(file, `${host}\n`);
  process.nextTick(() => this.destroy(new Error("the network is out of reach in this test")));
  return this;
};
