import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import swagger from "@fastify/swagger";
import fastify from "fastify";
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from "fastify-type-provider-zod";
import * as z from "zod";
import { packageRoot } from "../../lib/package-root.ts";
import type { HttpContext } from "../context.ts";
import type { PendingRequests } from "../long-poll/pending-requests.ts";
import { addRoutes } from "../routes/index.ts";
import { openApiFile } from "../routes/ops/openapi.ts";
import { emptyValuesKey } from "../schemas/submission.ts";
import { validatorCompiler } from "../schemas/validation.ts";
import type { Submissions } from "../submission/submission.ts";
import { addDetails } from "./details.ts";

type SchemaPair = { jsonSchema: Record<string, unknown>; zodSchema: z.core.$ZodType };

const zodToJsonConfig = {
  target: "draft-2020-12",
  override: ({ jsonSchema, zodSchema }: SchemaPair) => {
    // zod drops examples of wrapped types.
    const examples = z.globalRegistry.get(zodSchema)?.examples;
    if (examples !== undefined) jsonSchema.examples ??= examples;
    // Replaces zod's very long pattern.
    if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
    // zod gives every integer these bounds.
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    const { [emptyValuesKey]: emptyValues, description, ...fullSchema } = jsonSchema;
    if (emptyValues === undefined) return;
    for (const name of Object.keys(fullSchema)) delete jsonSchema[name];
    delete jsonSchema[emptyValuesKey];
    jsonSchema.anyOf = [fullSchema, { enum: emptyValues }];
  },
} as const;

export async function openApiText(): Promise<string> {
  const app = fastify();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.1",
      info: {
        title: "Earshot",
        version: await packageVersion(),
        description: "One search API over the public conversation of social platforms.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      tags: [
        { name: "search", description: "Submit a search, read its status, fetch its result." },
        {
          name: "node",
          description: "Search recent posts in one request, in the format of a node.",
        },
        {
          name: "attestation",
          description: "The nodes and their evidence. No key needed.",
        },
        { name: "webhooks", description: "Get notified when a job ends." },
        {
          name: "operation",
          description: "Health, metrics and the API description, for operators. No key needed.",
        },
        {
          name: "documentation",
          description: "These pages, for the version of this server. No key needed.",
        },
      ],
      components: {
        securitySchemes: {
          key: { type: "http", scheme: "bearer", description: "An API key, ear_…" },
        },
      },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: createJsonSchemaTransformObject({ zodToJsonConfig }),
  });
  addRoutes(
    app,
    placeholderValue<HttpContext>(),
    placeholderValue<PendingRequests>(),
    placeholderValue<Submissions>(),
  );
  await app.ready();
  const text = JSON.stringify(app.swagger());
  await app.close();
  return withTidySchemas(text);
}

function placeholderValue<T>(): T {
  const placeholder: unknown = new Proxy({}, { get: () => placeholder });
  return placeholder as T;
}

async function packageVersion(): Promise<string> {
  const text = await readFile(new URL("package.json", packageRoot), "utf8");
  const manifest: { version: string } = JSON.parse(text);
  return manifest.version;
}

type Schemas = Record<string, unknown>;

function withTidySchemas(text: string): string {
  const document = JSON.parse(text);
  const schemas: Schemas = document.components.schemas;
  for (let previousCount = -1; previousCount !== Object.keys(schemas).length; ) {
    previousCount = Object.keys(schemas).length;
    for (const name of Object.keys(schemas)) {
      if (!JSON.stringify(document).includes(referenceTo(name))) delete schemas[name];
    }
  }
  addDetails(document);
  // Otherwise, the order would depend on module loading.
  document.components.schemas = Object.fromEntries(
    Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  let tidyText = JSON.stringify(document, null, 2);
  for (const name of Object.keys(schemas)) {
    const plainName = name.replace(/Input$/, "");
    if (plainName === name || plainName in schemas) continue;
    tidyText = tidyText.replaceAll(referenceTo(name), referenceTo(plainName));
    tidyText = tidyText.replace(`"${name}": {`, `"${plainName}": {`);
  }
  return `${tidyText}\n`;
}

function referenceTo(name: string): string {
  return `"#/components/schemas/${name}"`;
}

if (argv[1] !== undefined && import.meta.url === pathToFileURL(argv[1]).href) {
  await writeFile(openApiFile, await openApiText());
}
