import { personTest } from "./accounts.ts";
import { operatorTest, type Test } from "./operators.ts";
import type { Query } from "./parse.ts";
import { compilePhrase } from "./phrase.ts";
import { foldName } from "./text.ts";
import type { OracleContext } from "./types.ts";

/** Undefined if the query has no condition. */
export function compileTest(query: Query, context: OracleContext): Test | undefined {
  switch (query.kind) {
    case "and": {
      const tests = query.children
        .map((child) => compileTest(child, context))
        .filter((one) => one !== undefined);
      return tests.length === 0 ? undefined : (post) => tests.every((test) => test(post));
    }
    case "or": {
      const alternatives = query.children
        .map((child) => compileTest(child, context))
        .filter((one) => one !== undefined);
      return alternatives.length === 0
        ? undefined
        : (post) => alternatives.some((test) => test(post));
    }
    case "not": {
      const childTest = compileTest(query.child, context);
      return childTest && ((post) => !childTest(post));
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
      return personTest(query.name, context, (post) => post.mentions);
    case "emoticon":
      return ({ emoticons }) => emoticons.includes(query.name);
    case "question":
      return ({ isQuestion }) => isQuestion;
  }
}
