/** openapi.json is not validated, because a test compares it with the routes. */
export type OpenApi = {
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    headers?: Readonly<Record<string, Header>>;
  };
};

export type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  security?: readonly unknown[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Readonly<Record<string, MediaType>> };
  responses: Readonly<Record<string, ResponseDescription>>;
  "x-codeSamples"?: readonly CodeSample[];
};

type CodeSample = { lang: string; label: string; source: string };

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
};

type MediaType = {
  schema?: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: unknown }>>;
};

export type ResponseDescription = {
  description: string;
  content?: Readonly<Record<string, MediaType>>;
  headers?: Readonly<Record<string, Header>>;
};

type Header = { description?: string; $ref?: string };

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  examples?: readonly unknown[];
};

export function referenceName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
