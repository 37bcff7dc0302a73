/** Relay's own compiler accepts the published schema, so that pages can refetch and paginate with Relay. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const schema = join(import.meta.dirname, '../../../schema/schema.graphql');
const compiler = createRequire(import.meta.url).resolve('relay-compiler/cli.js');

/** The compiler's output for these documents, by the name of their module, and the generated files. */
function compile(documents: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'generated'));
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(folder, 'src', `${name}.js`), `import { graphql } from 'relay-runtime';\ngraphql\`${text}\`;\n`);
  }
  const config = {
    src: join(folder, 'src'),
    schema,
    artifactDirectory: join(folder, 'generated'),
    language: 'typescript',
    eagerEsModules: true,
  };
  const file = join(folder, 'relay.config.json');
  writeFileSync(file, JSON.stringify(config));
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, file], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, FORCE_DISABLE_WATCHMAN: '1' },
  });
  return { status, output: `${stdout}${stderr}`, made: readdirSync(join(folder, 'generated')) };
}

/** The form that usePaginationFragment requires: a fragment with a connection and its own refetch query. */
const paginated = (type: string, field: string, name: string, node: string) => `
  fragment ${name}_parent on ${type}
  @argumentDefinitions(count: { type: "Int", defaultValue: 20 }, cursor: { type: "String" })
  @refetchable(queryName: "${name}PaginationQuery") {
    ${field}(first: $count, after: $cursor) @connection(key: "${name}_${field}") {
      totalCount
      edges { cursor node { ${node} } }
      pageInfo { hasNextPage endCursor }
    }
  }`;

test('a fragment on the root is paginated', () => {
  const { status, output, made } = compile({
    Payments: paginated('Query', 'paymentIntents', 'Payments', 'id status amount'),
    PaymentsPage: 'query PaymentsPageQuery { ...Payments_parent }',
    TaxRates: paginated('Query', 'taxRatesConnection', 'TaxRates', 'id displayName'),
    Events: paginated('Query', 'eventsConnection', 'Events', 'id type sequence'),
  });
  expect([status, output]).toEqual([0, expect.stringContaining('Compilation completed')]);
  expect(made).toEqual(
    expect.arrayContaining(['PaymentsPaginationQuery.graphql.ts', 'EventsPaginationQuery.graphql.ts']),
  );
});

test('a fragment on the viewer is refetched', () => {
  const { status, output, made } = compile({
    Caller:
      'fragment Caller_query on Query @refetchable(queryName: "CallerRefetchQuery") { viewer { kind app { id name } } }',
    Page: 'query PageQuery { ...Caller_query }',
  });
  expect([status, output]).toEqual([0, expect.stringContaining('Compilation completed')]);
  expect(made).toContain('CallerRefetchQuery.graphql.ts');
});

test('fragments on objects are refetched and paginated by node', () => {
  const { status, output, made } = compile({
    Payment: `fragment Payment_intent on PaymentIntent @refetchable(queryName: "PaymentRefetchQuery") {
      id status amount transactions { id status } }`,
    PaymentPage: 'query PaymentPageQuery($id: ID!) { paymentIntent(id: $id) { ...Payment_intent } }',
    Steps: paginated('PaymentIntent', 'transactionsConnection', 'Steps', 'id type status'),
    Events: paginated('PaymentIntent', 'eventsConnection', 'Events', 'id type'),
    Customer: `fragment Customer_account on CustomerAccount @refetchable(queryName: "CustomerRefetchQuery") {
      id name email wallets { id } }`,
    Invoices: paginated('CustomerAccount', 'invoicesConnection', 'Invoices', 'id status total'),
    CustomerPage: 'query CustomerPageQuery($id: ID!) { customer(id: $id) { ...Customer_account ...Invoices_parent } }',
    Reloaded:
      'query ReloadedQuery($id: ID!) { node(id: $id) { id ...Payment_intent @alias ...Steps_parent @alias ...Events_parent @alias } }',
  });
  expect([status, output]).toEqual([0, expect.stringContaining('Compilation completed')]);
  for (const name of [
    'PaymentRefetch',
    'StepsPagination',
    'EventsPagination',
    'CustomerRefetch',
    'InvoicesPagination',
  ]) {
    expect(made).toContain(`${name}Query.graphql.ts`);
  }
});

test('a document that does not match the schema is refused', () => {
  const { status, output } = compile({
    Wrong: 'query WrongQuery { paymentIntents(first: 1) { edges { node { colour } } } }',
  });
  expect(status).not.toBe(0);
  expect(output).toContain('colour');
});
