/** What the analyzer asks of Node's Buffer, for words of more than 21 letters alone. */
export const Buffer = {
  byteLength: (text: string): number => encoder.encode(text).length,
  from: (
    text: string,
  ): Uint8Array & { toString(encoding: string, start: number, end: number): string } =>
    Object.assign(encoder.encode(text), {
      toString(this: Uint8Array, _encoding: string, start: number, end: number): string {
        return decoder.decode(this.subarray(start, end));
      },
    }),
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
