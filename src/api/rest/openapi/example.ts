/** Examples that are generated from the schemas, so that they cannot contradict them. */
import { type Components, type JsonSchema, ownExamples } from './json-schema.ts';
import { x402Example } from './x402-example.ts';

/** The example values of fields by name, for fields whose schema contains no example. */
const byName: Record<string, unknown> = {
  currency: 'USD',
  externalId: 'order-1042',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  displayName: 'VAT',
  percentage: 20,
  slug: 'coffee',
  reason: 'Requested by the customer',
  tokenKey: 'USDC-1',
  symbol: 'USDC',
  asset: 'USDC-1',
  chainId: 1,
  walletAddress: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainName: 'Ethereum',
  timelockDuration: 604800,
  disputeStartDuration: 86400,
  platformFeeBps: 100,
  total: 1,
  page: 1,
  pageSize: 20,
  totalPages: 1,
  quantity: 1,
  description: 'A cup of coffee',
  url: 'https://shop.example/hooks',
  events: ['*'],
  code: '123456',
  accessToken: 'eyJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJjYXJkIn0.c2lnbmF0dXJl',
  sessionToken: 'eyJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJzZXNzaW9uLWNvbm5lY3QifQ.c2lnbmF0dXJl',
  onetimeToken: 'eyJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJvbmV0aW1lLWNvbm5lY3QifQ.c2lnbmF0dXJl',
  tokenType: 'Bearer',
  expiresIn: 3600,
  resendAfterSeconds: 60,
  clientOrigin: 'https://shop.example',
  account: 'eip155:1:0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  namespace: 'eip155',
  resultEncoding: 'hex',
  action: 'api_key.created',
  text: 'The parcel was handed over and signed for.',
  orderNumber: '1042',
  carrier: 'Example Post',
  trackingNumber: 'EP204017781',
  contentType: 'application/pdf',
  sizeBytes: 48_213,
  actorName: 'ada@example.com',
  targetType: 'ApiKey',
  summary: 'Sign the message “Order 42: 12 USDC”.',
};

/** The same for fields of x402, which take precedence over the examples of their types. */
const x402Fields: Record<string, unknown> = x402Example;

/** The same for fields that are strings, because the card API names chains by CAIP-2. */
const textByName: Record<string, string> = { chainId: 'eip155:1', method: 'personal_sign' };

const MAX_DEPTH = 6;

/** Optional fields that examples of inputs include. */
const illustrative = new Set(['currency', 'externalId', 'walletAddress', 'text']);

/** Returns an example of a schema. An input has its required fields and some optional ones, a response has all fields. */
export function exampleOf(
  components: Components,
  schema: JsonSchema,
  what: 'input' | 'answer',
  name = '',
  depth = 0,
): unknown {
  if (typeof schema.$ref === 'string') {
    const target = components.get(schema.$ref.split('/').at(-1) ?? '') ?? {};
    return exampleOf(components, target, what, name, depth + 1);
  }
  if ('const' in schema) return schema.const;
  if (name in x402Example && fits(x402Fields[name], schema)) return x402Fields[name];
  const own = ownExamples.get(schema);
  if (own !== undefined) return own;
  const types = [schema.type].flat();
  if (depth > MAX_DEPTH && types.includes('null')) return null;
  if (name in byName && fits(byName[name], schema)) return byName[name];
  if (name in textByName && types.includes('string') && !('enum' in schema)) return textByName[name];
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (types.includes('null') || (Array.isArray(alternatives) && alternatives.some(isNull))) return null;
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (Array.isArray(alternatives)) return exampleOf(components, alternatives[0], what, name, depth + 1);
  return plainExample(components, schema, what, depth);
}

function plainExample(components: Components, schema: JsonSchema, what: 'input' | 'answer', depth: number): unknown {
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const required = new Set(Array.isArray(schema.required) ? schema.required : []);
      const fields = Object.entries(isRecord(schema.properties) ? schema.properties : {}).filter(
        ([name]) => what === 'answer' || required.has(name) || illustrative.has(name),
      );
      return Object.fromEntries(
        fields.map(([name, held]) => [name, exampleOf(components, isRecord(held) ? held : {}, what, name, depth + 1)]),
      );
    }
    case 'array': {
      const items = isRecord(schema.items) ? schema.items : {};
      return depth > MAX_DEPTH ? [] : [exampleOf(components, items, what, '', depth + 1)];
    }
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return true;
    case 'string':
      return typeof schema.pattern === 'string' ? 'example' : 'Example';
    default:
      return null;
  }
}

/** Whether a value has the schema's type and is one of its values. */
function fits(value: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
  const types = [schema.type].flat();
  if (Array.isArray(value)) return types.includes('array') && !(isRecord(schema.items) && '$ref' in schema.items);
  if (isRecord(value)) return types.includes('object') && !('properties' in schema);
  if (typeof value === 'string') return types.includes('string');
  return typeof value === 'number' && (types.includes('integer') || types.includes('number'));
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'null';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
