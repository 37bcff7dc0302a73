/** A source loaded by Mesh's own handler: its schema, generated from its description, and a function to execute a document against it. */
import { resolve } from 'node:path';
import type OpenapiHandler from '@graphql-mesh/openapi';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import type { SourceSettings } from './gateway-file.ts';
import { requireSafeDescription } from './require-safe-description.ts';
import { requireSafeSchema } from './require-safe-schema.ts';
import type { SourceCall, SourceFetch } from './source-fetch.ts';
import type { SourceGate } from './source-gate.ts';

export type LoadedSource = {
  settings: SourceSettings;
  schema: GraphQLSchema;
  /** Every call of `ask` goes through it. */
  gate: SourceGate;
  /** Executes a query and checks the response against the source's schema. Errors are returned as values, as in any execution. */
  ask(request: {
    document: DocumentNode;
    variables: Record<string, unknown>;
    call: SourceCall;
  }): Promise<ExecutionResult>;
};

/** Throws an error that describes what is wrong with the description. Sends nothing, because descriptions are files. */
export async function loadSource(world: World, settings: SourceSettings): Promise<LoadedSource> {
  requireSafeDescription(settings, resolve(world.folder, settings.description));
  return settings.kind === 'openapi' ? await loadOpenapi(world, settings) : await loadGraphql(world, settings);
}

type World = { folder: string; fetch: SourceFetch['fetch']; gate: SourceGate };

async function loadOpenapi({ folder, fetch, gate }: World, settings: SourceSettings): Promise<LoadedSource> {
  const { default: Handler } = await import('@graphql-mesh/openapi');
  const { description: source, endpoint } = settings;
  // A missing object is recognized by its status, and the headers are set where the call is made.
  const config = {
    source,
    endpoint,
    ignoreErrorResponses: true,
    HATEOAS: false,
    queryStringOptions: { arrayFormat: 'repeat' as const },
  };
  const handler = new Handler({ ...handlerWorld(folder, settings), config });
  // Mesh types this as the global fetch, but handlers call it with the parameters of this one.
  const { schema } = await handler.getMeshSource({ fetchFn: fetch as never });
  requireSafeSchema(schema);
  return {
    settings,
    schema,
    gate,
    ask: async ({ document, variables, call }) =>
      await execute({ schema, document, variableValues: variables, contextValue: call }),
  };
}

async function loadGraphql({ folder, fetch, gate }: World, settings: SourceSettings): Promise<LoadedSource> {
  const { default: Handler } = await import('@graphql-mesh/graphql');
  const { description: source, endpoint } = settings;
  const config = { source, endpoint, method: 'POST' as const, batch: false };
  // The parameter is typed by another version of Mesh's types, but accepts the same value.
  const handler = new Handler({ ...handlerWorld(folder, settings), config } as never);
  const { schema, executor } = await handler.getMeshSource({ fetchFn: fetch as never });
  if (!executor) throw new Error('the handler has no executor');
  return {
    settings,
    schema,
    gate,
    async ask({ document, variables, call }) {
      const answer = (await executor({ document, variables, context: call })) as ExecutionResult;
      if (!answer.data) return { errors: answer.errors ?? [], data: null };
      // A response is never assumed to match its schema.
      const fitted = await execute({
        schema,
        document,
        variableValues: variables,
        rootValue: answer.data,
        fieldResolver: byResponseKey(answer.data),
      });
      return { data: fitted.data ?? null, errors: [...(answer.errors ?? []), ...(fitted.errors ?? [])] };
    },
  };
}

/** Root fields have aliases, since there is one per row. Nested fields have none. */
function byResponseKey(root: unknown): GraphQLFieldResolver<unknown, unknown> {
  return (parent, _args, _context, info) =>
    Reflect.get(Object(parent), parent === root ? String(info.path.key) : info.fieldName);
}

type HandlerWorld = Omit<ConstructorParameters<typeof OpenapiHandler>[0], 'config'>;

/** What Mesh passes to its handlers. They log bodies, so logging is disabled here. */
function handlerWorld(baseDir: string, { name }: SourceSettings): HandlerWorld {
  const world = {
    name,
    baseDir,
    store: { proxy: () => ({ getWithSet: (make: () => unknown) => make() }) },
    pubsub: undefined,
    cache: undefined,
    logger: silent,
    importFn: () => Promise.reject(new Error('a description must not import modules')),
  };
  // A handler that reads a file needs nothing else of Mesh's environment.
  return world as unknown as HandlerWorld;
}

const nothing = () => undefined;
const silent = {
  log: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => silent,
};
