import { byNamed } from "./accounts.ts";
import { operatorTest, type Test } from "./operators.ts";
import type { Query } from "./parse.ts";
import { compilePhrase } from "./phrase.ts";
import { foldName } from "./text.ts";
import type { OracleContext } from "./types.ts";

/** Undefined if the query has no condition. */
export function compileTest(query: Query, context: OracleContext): Test | undefined {
  switch (query.kind) {
    case "and": {
      const all = query.children
        .map((child) => compileTest(child, context))
        .filter((one) => one !== undefined);
      return all.length === 0 ? undefined : (post) => all.every((test) => test(post));
    }
    case "or": {
      const any = query.children
        .map((child) => compileTest(child, context))
        .filter((one) => one !== undefined);
      return any.length === 0 ? undefined : (post) => any.some((test) => test(post));
    }
    case "not": {
      const excluded = compileTest(query.child, context);
      return excluded && ((post) => !excluded(post));
    }
    case "operator":
      return operatorTest(query.name, query.value, context);
    case "phrase":
      return compilePhrase(query.positions);
    case "hashtag": {
      const name = foldName(query.name);
      return ({ hashtags }) => hashtags.includes(name);
    }
    case "cashtag": {
      const name = foldName(query.name);
      return ({ cashtags }) => cashtags.includes(name);
    }
    case "mention":
      return byNamed(query.name, context, (post) => post.mentions);
    case "emoticon":
      return ({ emoticons }) => emoticons.includes(query.name);
    case "question":
      return ({ isQuestion }) => isQuestion;
  }
}
