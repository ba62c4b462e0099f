/** What GitHub's published description of its API (`@octokit/openapi`) says of requests and answers. */
import Ajv from "ajv";
import openapi from "./github_openapi.json" with { type: "json" };

type Json = Record<string, unknown>;

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}

/** One operation that the description knows. */
export interface Operation {
  /** `pulls/list`. */
  readonly id: string;
  readonly args: Readonly<Record<string, string>>;
  /** The published example of the answer, to be changed where the state is another. */
  // deno-lint-ignore no-explicit-any -- JSON of another's
  example(status: number): any;
  /** What is wrong with the answer. */
  answerFaults(status: number, body: unknown): string[];
}

export interface AskedOfApi {
  readonly method: string;
  /** Below the API's address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

const ajv = new Ajv({
  nullable: true,
  unknownFormats: "ignore",
  validateSchema: false,
  logger: false,
});
ajv.addSchema(openapi, "github");

const pointed = (path: readonly string[]) =>
  path.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"))).join(
    "/",
  );

function at(path: readonly string[]): unknown {
  let found: unknown = openapi;
  const seen: string[] = [];
  for (const part of path) {
    found = (found as Json)?.[part];
    seen.push(part);
    const ref = (found as { $ref?: string } | undefined)?.$ref;
    if (ref !== undefined) found = at(ref.slice(2).split("/"));
  }
  return found;
}

/** Where the thing behind references stands. */
function real(path: readonly string[]): readonly string[] {
  const ref = (path.reduce((found, part) => (found as Json)?.[part], openapi as unknown) as {
    $ref?: string;
  })?.$ref;
  return ref === undefined ? path : real(ref.slice(2).split("/"));
}

function faultsOf(schema: readonly string[], value: unknown): string[] {
  const validate = ajv.compile({ $ref: `github#/${pointed(schema)}` });
  if (validate(value)) return [];
  return [ajv.errorsText(validate.errors)];
}

function parameterFaults(
  { name, in: where, required, schema }: Parameter,
  index: readonly string[],
  given: string | null | undefined,
): string[] {
  if (given === null || given === undefined) {
    return required ? [`${where} "${name}" is missing`] : [];
  }
  const value = schema.type === "integer" ? Number(given) : given;
  return faultsOf([...index, "schema"], value).map((fault) => `${where} "${name}": ${fault}`);
}

function headFaults(headers: Headers): string[] {
  const wanted: Readonly<Record<string, RegExp>> = {
    accept: /^application\/vnd\.github\+json$/,
    authorization: /^Bearer \S+$/,
    "user-agent": /./, // docs.github.com, "Getting started with the REST API": without one, 403
    "x-github-api-version": /^2022-11-28$/,
  };
  return Object.entries(wanted).flatMap(([name, fits]) =>
    fits.test(headers.get(name) ?? "") ? [] : [`header ${name}: ${headers.get(name)}`]
  );
}

function argsOf(template: string, path: string): Record<string, string> | undefined {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const parts = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "([^/]+)")}$`).exec(path);
  return parts === null
    ? undefined
    : Object.fromEntries(names.map((name, nth) => [name, decodeURIComponent(parts[nth + 1]!)]));
}

/** @returns what the description knows of it, and what is wrong with it */
export function operationOf(
  { method, path, query, headers, body }: AskedOfApi,
): { readonly operation: Operation | undefined; readonly faults: string[] } {
  const [template] = Object.keys(openapi.paths).filter((one) => argsOf(one, path) !== undefined);
  const place = ["paths", template ?? "", method.toLowerCase()];
  const found = at(place) as { operationId: string; parameters?: unknown[] } | undefined;
  if (template === undefined || found === undefined) {
    return { operation: undefined, faults: [`${method} ${path} is no operation that svc may use`] };
  }
  const args = argsOf(template, path)!;
  const parameters = (found.parameters ?? []).map((_, nth) => {
    const index = real([...place, "parameters", String(nth)]);
    return { index, parameter: at(index) as Parameter };
  });
  const known = new Set(
    parameters.flatMap(({ parameter }) => parameter.in === "query" ? [parameter.name] : []),
  );
  const content = [...place, "requestBody", "content", "application/json", "schema"];
  const hasBody = at(content) !== undefined;
  const faults = [
    ...headFaults(headers),
    ...parameters.flatMap(({ parameter, index }) =>
      parameterFaults(
        parameter,
        index,
        parameter.in === "path" ? args[parameter.name] : query.get(parameter.name),
      )
    ),
    ...[...query.keys()].filter((name) => !known.has(name)).map((name) =>
      `unknown query "${name}"`
    ),
    ...(hasBody ? faultsOf(content, JSON.parse(body)) : body === "" ? [] : ["a body"]),
  ].map((fault) => `${method} ${path}: ${fault}`);
  const answer = (status: number) =>
    real([...place, "responses", String(status)]).concat("content", "application/json");
  const operation: Operation = {
    id: found.operationId,
    args,
    example: (status) => {
      const examples = at([...answer(status), "examples"]) as Json;
      const place = [...answer(status), "examples", Object.keys(examples)[0]!];
      const { value } = at(place) as { readonly value: { readonly $ref?: string } };
      // Some examples refer to another one as a whole.
      const { $ref } = value;
      const referred = $ref === undefined ? undefined : at($ref.slice(2).split("/")) as Json;
      return structuredClone(referred === undefined ? value : referred.value);
    },
    answerFaults: (status, value) =>
      at([...place, "responses", String(status)]) === undefined
        ? [`${found.operationId} never answers ${status}`]
        : faultsOf([...answer(status), "schema"], value)
          .map((fault) => `answer of ${found.operationId}: ${fault}`),
  };
  return { operation, faults };
}
