/** How operations become methods: operations that are added to the API appear without further code. */
import { expect, it } from 'vitest';
import { describeMethods } from '../../packages/sdk/generate/describe-methods.ts';
import type { OpenApiDocument, Operation, Schema } from '../../packages/sdk/generate/openapi-document.ts';
import { exampleOf } from '../../packages/sdk/generate/print-example.ts';
import { signatureOf } from '../../packages/sdk/generate/print-resources.ts';
import { printDeclaration, printType } from '../../packages/sdk/generate/print-type.ts';

const answer = (data: Schema, more: Record<string, Schema> = {}) => ({
  '200': { content: { 'application/json': { schema: { properties: { data, ...more } } } } },
});
const payout: Schema = { $ref: '#/components/schemas/Payout' };
const operation = (operationId: string, tag: string, rest: Partial<Operation>): Operation => ({
  operationId,
  tags: [tag],
  summary: 'Does it',
  responses: { '204': {} },
  ...rest,
});
const document = (paths: OpenApiDocument['paths']): OpenApiDocument => ({
  paths,
  webhooks: {},
  components: { schemas: {}, parameters: {} },
});

const { methods } = describeMethods(
  document({
    '/payout-batches': {
      get: operation('listPayoutBatches', 'Payout batches', {
        responses: answer({ type: 'array', items: payout }, { hasMore: { type: 'boolean' } }),
        parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }],
      }),
      post: operation('createPayoutBatch', 'Payout batches', {
        responses: answer(payout),
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: payout, example: { appId: '0199f3a2-7c1e-7b3a-9d54-6f2f0c9a1b11' } },
          },
        },
      }),
    },
    '/payout-batches/{id}/files': {
      post: operation('uploadPayoutBatchFile', 'Payout batches', {
        parameters: [{ name: 'name', in: 'query', required: true, schema: { type: 'string', examples: ['a.pdf'] } }],
        requestBody: { required: true, content: { 'application/pdf': {} } },
      }),
    },
    '/payout-batches/{id}/archive': { post: operation('archivePayoutBatch', 'Payout batches', {}) },
    '/payout-batches/{id}': { delete: operation('archivePayoutBatches', 'Payout batches', {}) },
  }),
);

it('a new resource is named after its tag, and its methods after their operations', () => {
  expect(methods.map((method) => `${method.resource}.${signatureOf(method)}`)).toEqual([
    'payoutBatches.list(query?: ListPayoutBatchesQuery, options?: RequestOptions): ListPromise<Payout>',
    'payoutBatches.create(body: Payout, options?: RequestOptions): Promise<Payout>',
    'payoutBatches.uploadFile(payoutBatchId: string, file: Blob, query: UploadPayoutBatchFileQuery, options?: RequestOptions): Promise<void>',
    'payoutBatches.archive(payoutBatchId: string, options?: RequestOptions): Promise<void>',
    // Of two methods with one name, the second one keeps the name of its operation.
    'payoutBatches.archivePayoutBatches(payoutBatchId: string, options?: RequestOptions): Promise<void>',
  ]);
});

it('has examples from the document, with variable names for IDs', () => {
  const [list, create, upload] = methods;
  if (!list || !create || !upload) throw new Error('The methods are missing.');
  expect(exampleOf(list).text).toBe('for await (const payout of sluice.payoutBatches.list()) console.log(payout);');
  expect(exampleOf(create)).toEqual({
    text: 'const payout = await sluice.payoutBatches.create({ appId });',
    freeNames: ['appId'],
  });
  expect(exampleOf(upload).text).toContain("uploadFile(payoutBatchId, new Blob(['%PDF-1.7']");
  expect(exampleOf(upload).text).toContain("{ name: 'a.pdf' }");
});

it.each<[Schema, string]>([
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: 'array', items: { oneOf: [{ const: 'ALL' }, { type: 'integer' }] } }, "Array<'ALL' | number>"],
  [{ enum: ['A', 'B'] }, "'A' | 'B'"],
  [{ allOf: [payout, { type: 'object', additionalProperties: true }] }, 'Payout & Record<string, unknown>'],
  [{ $ref: '#/components/schemas/Event' }, 'SluiceEvent'],
  [{}, 'unknown'],
])('%j is converted to %s', (schema, type) => {
  expect(printType(schema)).toBe(type);
});

it('a description cannot end its comment', () => {
  const text = printDeclaration('Odd', {
    description: 'Ends */ here.',
    properties: { 'a-b': { type: 'string' } },
    required: ['a-b'],
  });
  expect(text).toBe('/** Ends *\u200b/ here. */\nexport interface Odd {\n  "a-b": string;\n}\n');
});
