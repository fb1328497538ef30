import type { ProblemCode } from "../problems/problems.ts";
import { type CodeSample, makeCodeSamples } from "./code-samples/code-samples.ts";
import { describedHeaders, responseHeaders } from "./headers.ts";
import { links } from "./links.ts";
import { listProblemCodes, problemExamples } from "./problems.ts";

type Schema = { $ref?: string; examples?: readonly unknown[] };
type MediaType = { schema?: Schema; example?: unknown; examples?: Record<string, unknown> };
type Parameter = { in: string; name: string; schema?: Schema; example?: unknown };
type ResponseObject = {
  description?: string;
  content?: Record<string, MediaType>;
  headers?: Record<string, unknown>;
  links?: Record<string, unknown>;
};
type Operation = {
  operationId: string;
  security?: readonly unknown[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, ResponseObject>;
  "x-codeSamples"?: CodeSample[];
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers?: unknown; examples?: unknown };
};

function unreadableRequestResponses(): Record<string, ResponseObject> {
  const schema = { $ref: "#/components/schemas/Problem" };
  const content = () => ({ "application/problem+json": { schema } });
  return {
    408: { description: "The request took too long to arrive.", content: content() },
    431: { description: "The request line and header fields are too large.", content: content() },
  };
}

/** Also removes statuses that cannot occur on a path, because similar routes share a list. */
export function addDetails(document: Document): void {
  const { schemas } = document.components;
  document.components.headers = describedHeaders;
  document.components.examples = problemExamples();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      for (const parameter of operation.parameters ?? []) addParameterExample(parameter);
      for (const body of Object.values(operation.requestBody?.content ?? {})) {
        addExample(body, schemas);
      }
      operation.responses = { ...operation.responses, ...unreadableRequestResponses() };
      for (const [status, response] of Object.entries(operation.responses)) {
        if (status === "204") delete response.content;
        const codes = listProblemCodes(path, operation, Number(status));
        if (isProblem(response) && codes.length === 0) {
          delete operation.responses[status];
          continue;
        }
        addResponseExamples(response, schemas, codes);
        addHeaders(operation, status, response);
      }
      addLinks(operation);
      operation["x-codeSamples"] = makeCodeSamples({
        method: method.toUpperCase(),
        path,
        operation,
      });
    }
  }
}

function addParameterExample(parameter: Parameter): void {
  const example = parameter.schema?.examples?.[0];
  if (example !== undefined) parameter.example ??= example;
}

function addExample(media: MediaType, schemas: Document["components"]["schemas"]): void {
  if (media.examples !== undefined) return;
  const name = media.schema?.$ref?.split("/").at(-1);
  const example = (name === undefined ? media.schema : schemas[name])?.examples?.[0];
  if (example !== undefined) media.example ??= example;
}

const problemMedia = "application/problem+json";

function isProblem({ content = {} }: ResponseObject): boolean {
  return problemMedia in content;
}

function addResponseExamples(
  { content = {} }: ResponseObject,
  schemas: Document["components"]["schemas"],
  codes: readonly ProblemCode[],
): void {
  for (const [type, media] of Object.entries(content)) {
    if (type === problemMedia) {
      media.examples = Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      );
    } else {
      addExample(media, schemas);
    }
  }
}

function addHeaders(operation: Operation, status: string, response: ResponseObject): void {
  const { operationId, security } = operation;
  const names = responseHeaders({ operationId, status, isKeyed: security !== undefined });
  response.headers = {
    ...response.headers,
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
  };
}

function addLinks({ operationId, responses }: Operation): void {
  for (const { from, status, to, parameters } of links) {
    const response = from === operationId ? responses[status] : undefined;
    if (response !== undefined) {
      response.links = { ...response.links, [to]: { operationId: to, parameters } };
    }
  }
}
