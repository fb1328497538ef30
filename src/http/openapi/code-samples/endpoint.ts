type Example = { example?: unknown; schema?: { examples?: readonly unknown[] } };

export type Endpoint = {
  method: string;
  path: string;
  operation: {
    operationId: string;
    security?: readonly unknown[];
    parameters?: readonly (Example & { name: string; in: string; required?: boolean })[];
    requestBody?: {
      content: Record<string, Example & { examples?: Record<string, unknown> }>;
    };
    responses: Record<string, { content?: Record<string, unknown> }>;
  };
};

export const sampleUrl = "http://127.0.0.1:8080";

/** The name if there is no example. */
export function parameterExample({ operation }: Endpoint, name: string): string {
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.name === name);
  const { example, schema } =
    parameters.find((parameter) => parameter.in === "path") ?? parameters[0] ?? {};
  return String(example ?? schema?.examples?.[0] ?? name);
}
