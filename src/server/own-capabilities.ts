import type { Capability } from "../remote/capability.ts";

/** What the embedded node can do; empty until first read. */
export class OwnCapabilities {
  readonly #read: () => Promise<readonly Capability[]>;
  #all: readonly Capability[] = [];
  #releasable: readonly Capability[] = [];

  constructor(read: () => Promise<readonly Capability[]>) {
    this.#read = read;
  }

  all = (): readonly Capability[] => this.#all;

  /** With credentials that a node can be given. */
  releasable = (): readonly Capability[] => this.#releasable;

  /** Errors: those of the archive and the store; the last capabilities remain. */
  async refresh(): Promise<void> {
    this.#all = await this.#read();
    this.#releasable = this.#all.map(byCredential).filter(({ ways }) => ways.length > 0);
  }
}

const byCredential = (one: Capability): Capability => ({
  ...one,
  ways: one.ways.filter((method) => method === "credential" || method === "api"),
});
