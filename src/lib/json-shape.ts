/** How deep JSON text nests, and at most how many values it holds. */
export type JsonShape = { deepest: number; values: number };

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Measures JSON text before it is parsed, as the parser takes its time over what nests deep or holds very much. Each call reads
 * on where the one before ended, and tells the shape of all so far.
 */
export function createJsonMeter(): (piece: Uint8Array) => JsonShape {
  const shape = { deepest: 0, values: 1 };
  let depth = 0;
  let inString = false;
  let isEscaped = false;

  return (piece) => {
    for (let index = 0; index < piece.length; index += 1) {
      const byte = piece[index];
      if (isEscaped) {
        isEscaped = false;
      } else if (inString) {
        if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) {
        inString = true;
      } else if (byte === comma) {
        shape.values += 1;
      } else if (byte === openBracket || byte === openBrace) {
        shape.values += 1;
        depth += 1;
        if (depth > shape.deepest) shape.deepest = depth;
      } else if (byte === closeBracket || byte === closeBrace) {
        depth -= 1;
      }
    }
    return shape;
  };
}
