/** Synchronous. A listener that throws is reported without affecting the others. */
export class Events<Payloads extends object> {
  readonly #listeners = new Map<keyof Payloads, ((payload: never) => void)[]>();
  readonly #onError: (error: unknown, event: keyof Payloads) => void;

  constructor(onError: (error: unknown, event: keyof Payloads) => void) {
    this.#onError = onError;
  }

  on<Name extends keyof Payloads>(event: Name, listener: (payload: Payloads[Name]) => void): void {
    const listeners = this.#listeners.get(event);
    if (listeners === undefined) this.#listeners.set(event, [listener]);
    else listeners.push(listener);
  }

  emit<Name extends keyof Payloads>(event: Name, payload: Payloads[Name]): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        listener(payload as never);
      } catch (error) {
        this.#onError(error, event);
      }
    }
  }
}
