export class RunningJobs {
  readonly #byNode = new Map<string, number>();

  of(nodeId: string): number {
    return this.#byNode.get(nodeId) ?? 0;
  }

  add(nodeId: string): void {
    this.#byNode.set(nodeId, this.of(nodeId) + 1);
  }

  remove(nodeId: string): void {
    const remaining = this.of(nodeId) - 1;
    if (remaining > 0) this.#byNode.set(nodeId, remaining);
    else this.#byNode.delete(nodeId);
  }
}
