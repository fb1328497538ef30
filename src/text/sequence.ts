/** One place of a sequence of tokens: a whole token, the start of one (a lone CJK character), or any single token. */
export type SequenceElement =
  | { kind: "token"; token: string }
  | { kind: "prefix"; prefix: string }
  | { kind: "any" };
