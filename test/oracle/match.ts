import { byNamed } from "./accounts.ts";
import { operatorTest, type Test } from "./operators.ts";
import type { Query } from "./parse.ts";
import { phraseOf } from "./phrase.ts";
import { foldName } from "./text.ts";
import type { OracleAround } from "./types.ts";

/** Undefined if empty. */
export function testOf(query: Query, around: OracleAround): Test | undefined {
  switch (query.kind) {
    case "and": {
      const all = query.of.map((one) => testOf(one, around)).filter((one) => one !== undefined);
      return all.length === 0 ? undefined : (post) => all.every((one) => one(post));
    }
    case "or": {
      const any = query.of.map((one) => testOf(one, around)).filter((one) => one !== undefined);
      return any.length === 0 ? undefined : (post) => any.some((one) => one(post));
    }
    case "not": {
      const excluded = testOf(query.of, around);
      return excluded && ((post) => !excluded(post));
    }
    case "operator":
      return operatorTest(query.name, query.value, around);
    case "phrase":
      return phraseOf(query.of);
    case "hashtag": {
      const name = foldName(query.name);
      return ({ hashtags }) => hashtags.includes(name);
    }
    case "cashtag": {
      const name = foldName(query.name);
      return ({ cashtags }) => cashtags.includes(name);
    }
    case "mention":
      return byNamed(query.name, around, (post) => post.mentions);
    case "emoticon":
      return ({ emoticons }) => emoticons.includes(query.name);
    case "question":
      return ({ isQuestion }) => isQuestion;
  }
}
