import { expect, test } from "vitest";
import { addressNetwork } from "./client-addresses.ts";

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["::1", "::/64"],
  ["no address", "unknown"],
])("the address %s is in the network %s", (address, network) => {
  expect(addressNetwork(address)).toBe(network);
});
