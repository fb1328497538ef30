/** What travels between a gateway and a node once sealed: what is asked, what is answered, and why there is no answer. */
export { answerBytes, bodyOf, type NodeAnswer, readAnswer } from "./answer-bytes.ts";
export { failureBytes, readFailure } from "./failure-bytes.ts";
export { knowledgeText, readKnowledge } from "./knowledge-text.ts";
export { readRequest, requestText } from "./request-text.ts";
