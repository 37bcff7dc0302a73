/** Reads routes from Mesh's artifacts, which contain the documents under `schema/rest`, and checks them against the schema. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getDirectiveValues,
  isSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { accessNeeded } from '../graphql/server/access/root-access.ts';
import { rootSelection } from './openapi/describe-operation.ts';
import { routeVariables } from './read-variables.ts';
import {
  pathVariables,
  type RestEnvelope,
  type RestMethod,
  type RestRoute,
  restEnvelopes,
  restMethods,
} from './rest-route.ts';
import { readUnions } from './rest-union.ts';

/** The part of Mesh's built index that is used. */
export type MeshArtifacts = {
  getBuiltMesh(): Promise<{ schema: GraphQLSchema; destroy(): void }>;
  getMeshOptions(): Promise<{ documents: { document?: DocumentNode | undefined }[] }>;
};

/** Returns the routes sorted by path. Throws an error that lists all invalid documents. */
export async function readArtifacts(artifacts: MeshArtifacts): Promise<RestRoute[]> {
  const mesh = await artifacts.getBuiltMesh();
  const { documents } = await artifacts.getMeshOptions();
  if (!isSchema(mesh.schema)) throw new TypeError('Mesh built no schema.');
  const faults: string[] = [];
  const routes = documents.flatMap(({ document }) => {
    try {
      return document ? [readRoute(mesh.schema, document)] : [];
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  mesh.destroy();
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return routes.sort(byPath);
}

function readRoute(schema: GraphQLSchema, document: DocumentNode): RestRoute {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  const name = operation?.name?.value;
  const directive = schema.getDirective('rest');
  if (!operation || !name || !directive) throw new TypeError('A REST document needs a named operation.');
  const [fault] = validate(schema, document, specifiedRules);
  if (fault) throw new TypeError(`${name}: ${fault.message}`);
  const rest = getDirectiveValues(directive, operation);
  if (!rest) throw new TypeError(`${name} has no @rest.`);
  const kind = operation.operation === OperationTypeNode.QUERY ? 'query' : 'mutation';
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  const envelope = envelopeOf(rest.envelope);
  const field = rootSelection({ operation: name, document }).name.value;
  const route: RestRoute = {
    operation: name,
    kind,
    method: methodOf(rest.method),
    path: String(rest.path),
    status: typeof rest.status === 'number' ? rest.status : envelope === 'NONE' ? 204 : 200,
    envelope,
    omitted: Array.isArray(rest.leftOut) ? rest.leftOut.map(String) : [],
    unions: readUnions(rest.unions),
    field,
    access: (root && accessNeeded(root, field)) ?? [],
    document: withoutRest(document),
  };
  requireFit(schema, route);
  return route;
}

/** Removes the directive, which only the build uses and the server's schema does not contain. */
function withoutRest(document: DocumentNode): DocumentNode {
  const stripped: DocumentNode = visit(document, {
    Directive: (node) => (node.name.value === 'rest' ? null : undefined),
  });
  return JSON.parse(JSON.stringify(stripped, (key, value) => (key === 'loc' ? undefined : value)));
}

function requireFit(schema: GraphQLSchema, route: RestRoute): void {
  if (route.access.length === 0)
    throw new TypeError(`${route.operation}: its root field does not say who may call it.`);
  const posts = route.method === 'POST' && route.kind === 'query';
  if ((route.method === 'GET') !== (route.kind === 'query') && !posts)
    throw new TypeError(`${route.operation}: GET asks, all else changes; a query too large for an address is posted.`);
  const variables = routeVariables(schema, route);
  const names = new Set(variables.map((variable) => variable.name));
  const lost = pathVariables(route.path).filter((name) => !names.has(name));
  if (lost.length > 0) throw new TypeError(`${route.operation}: no variable for :${lost.join(', :')}.`);
  const strays = variables.filter((variable) => variable.in === 'query' && route.method !== 'GET');
  if (strays.length > 0) throw new TypeError(`${route.operation}: only $input and the path carry variables here.`);
}

function methodOf(value: unknown): RestMethod {
  const method = restMethods.find((held) => held === value);
  if (!method) throw new TypeError(`Unknown method ${String(value)}.`);
  return method;
}

function envelopeOf(value: unknown): RestEnvelope {
  const envelope = restEnvelopes.find((held) => held === value);
  if (!envelope) throw new TypeError(`Unknown envelope ${String(value)}.`);
  return envelope;
}

function byPath(left: RestRoute, right: RestRoute): number {
  const [a, b] = [`${left.path} ${left.method}`, `${right.path} ${right.method}`];
  return a < b ? -1 : a > b ? 1 : 0;
}
