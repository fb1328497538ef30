type TextWriter = {
  /** Collapses white space unless preformatted. */
  write(text: string, isPreformatted: boolean): void;
  breakLine(): void;
  separate(breaks: number): void;
  mark(): number;
  textSince(mark: number): string;
  replaceSince(mark: number, text: string): void;
  length(): number;
  text(): string;
};

export function createWriter(): TextWriter {
  const pieces: string[] = [];
  let length = 0;
  let pendingBreaks = 0;
  let endsInSpace = true;

  function add(piece: string): void {
    if (piece === "") return;
    pieces.push(piece);
    length += piece.length;
    endsInSpace = /\s$/u.test(piece);
  }

  function writePendingBreaks(): void {
    if (length > 0) add("\n".repeat(pendingBreaks));
    pendingBreaks = 0;
  }

  return {
    write(text, isPreformatted) {
      const plain = isPreformatted ? text.replaceAll("\r", "") : text.replace(/[ \t\r\n\f]+/g, " ");
      const isBlank = plain.trim() === "";
      if (isBlank && (pendingBreaks > 0 || endsInSpace) && !isPreformatted) return;
      if (!isBlank) writePendingBreaks();
      add(endsInSpace && !isPreformatted ? plain.replace(/^ /, "") : plain);
    },
    breakLine() {
      writePendingBreaks();
      add("\n");
    },
    separate(breaks) {
      if (length > 0) pendingBreaks = Math.max(pendingBreaks, breaks);
    },
    mark() {
      writePendingBreaks();
      return pieces.length;
    },
    textSince: (mark) => pieces.slice(mark).join(""),
    replaceSince(mark, text) {
      for (const piece of pieces.splice(mark)) length -= piece.length;
      add(text);
    },
    length: () => length,
    text: () =>
      pieces
        .join("")
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n"),
  };
}
