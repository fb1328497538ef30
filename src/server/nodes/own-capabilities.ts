import type { Capability } from "../../remote/capability.ts";

export class OwnCapabilities {
  readonly #read: () => Promise<readonly Capability[]>;
  #all: readonly Capability[] = [];
  #releasable: readonly Capability[] = [];

  constructor(read: () => Promise<readonly Capability[]>) {
    this.#read = read;
  }

  all = (): readonly Capability[] => this.#all;

  /** Capabilities through credentials that can be released to nodes. */
  releasable = (): readonly Capability[] => this.#releasable;

  /** Errors: those of archive and store; the last capabilities remain. */
  async refresh(): Promise<void> {
    this.#all = await this.#read();
    this.#releasable = this.#all.map(releasablePart).filter(({ ways }) => ways.length > 0);
  }
}

const releasablePart = ({ ways, ...capability }: Capability): Capability => ({
  ...capability,
  ways: ways.filter((method) => method === "credential" || method === "api"),
});
