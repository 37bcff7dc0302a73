/**
 * The build step of the REST API. It converts Mesh's artifacts to `generated/rest.ts`, which the server imports, the OpenAPI documents
 * under `schema/openapi`, and the types of the typed client. Mesh's part at run time is in src/gateway.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTs, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { describeWebhooks } from '../events/event-schemas.ts';
import { schema } from '../graphql/schema.ts';
import { describeDisputeFiles } from './disputes/describe-dispute-files.ts';
import { describeApi } from './openapi/describe-api.ts';
import { describeAuditExport } from './openapi/describe-audit-export.ts';
import { readArtifacts } from './read-artifacts.ts';
import { describeReports } from './reports/describe-reports.ts';

const root = resolve(import.meta.dirname, '../../..');

const routes = await readArtifacts(await import(pathToFileURL(compiledArtifacts()).href));
const isCard = (path: string) => path.startsWith('/v1/');
const payments = describeApi(
  schema,
  routes.filter((route) => !isCard(route.path)),
  {
    title: 'Payments API',
    version: '1.0.0',
    description:
      'Accept crypto payments into an escrow contract. Every successful response is `{ "success": true, "data": … }`, and every error is `{ "success": false, "error": … }`.',
  },
  (components) => describeWebhooks(schema, components),
);
const list = payments.paths['/audit-log']?.get;
if (!list) throw new TypeError('The schema has no GET /audit-log, from which the export is described.');
payments.paths['/audit-log/export'] = { get: describeAuditExport(list) };
Object.assign(payments.paths, describeReports(list));
const submit = payments.paths['/disputes/{id}/evidence']?.post;
const read = payments.paths['/disputes/{id}']?.get;
if (!submit || !read) throw new TypeError('The operations of disputes are missing.');
Object.assign(payments.paths, describeDisputeFiles({ submit, read }));
const card = describeApi(
  schema,
  routes.filter((route) => isCard(route.path)),
  {
    title: 'Wallet-connect card API',
    version: '0.1.0',
    description:
      'Log in with a one-time password, link addresses, and have requests signed. Responses have no envelope.',
  },
);

write('schema/openapi/payments.json', `${JSON.stringify(payments, null, 2)}\n`);
write('schema/openapi/card.json', `${JSON.stringify(card, null, 2)}\n`);
write('generated/rest.ts', routesModule());
write('generated/payments-api.ts', await clientTypes('schema/openapi/payments.json'));
process.exit(0);

/** Compiles Mesh's index, which imports types like values. Node's own type stripping would keep these imports. */
function compiledArtifacts(): string {
  const source = readFileSync(join(root, 'schema/.mesh/index.ts'), 'utf8');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  write('schema/.mesh/index.mjs', ts.transpileModule(source, { compilerOptions }).outputText);
  return join(root, 'schema/.mesh/index.mjs');
}

function routesModule(): string {
  const lines = routes.map((route) => `  ${JSON.stringify(JSON.stringify(route))},`);
  return [
    '// Printed by src/api/rest/build.ts from schema/rest; not to be edited.',
    "import type { RestRoute } from '../src/api/rest/rest-route.ts';",
    '',
    'const printed: readonly string[] = [',
    ...lines,
    '];',
    '',
    'export const restRoutes: readonly RestRoute[] = printed.map((route) => JSON.parse(route));',
    '',
  ].join('\n');
}

async function clientTypes(file: string): Promise<string> {
  return astToString(await openapiTs(pathToFileURL(join(root, file)), { alphabetize: true }));
}

function write(file: string, text: string): void {
  const path = join(root, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}
