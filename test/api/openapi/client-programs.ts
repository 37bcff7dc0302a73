/**
 * Programs that a merchant would write with a generated client: the same calls with each of the two. The line after a
 * `@ts-expect-error` must not compile, because the types state there that a value may be missing.
 */

const settings = `
const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new TypeError(name + ' is not set.');
  return value;
};
const [url, key, unknownId, wallet] = [setting('API_URL'), setting('API_KEY'), setting('UNKNOWN_ID'), setting('WALLET')];
`;

/** By openapi-typescript and openapi-fetch. */
export const callingByFetch = `
import createClient from 'openapi-fetch';
import type { paths as CardPaths } from './card.js';
import type { components, paths } from './payments.js';
${settings}
type Code = components['schemas']['Error']['error']['code'];

const client = createClient<paths>({ baseUrl: url, headers: { 'x-api-key': key } });

const made = await client.POST('/payments/intents', { body: { amount: '12.5', currency: 'USD' } });
if (made.error) throw new Error(made.error.error.message);
const { id, status } = made.data.data;

const read = await client.GET('/payments/intents/{id}', { params: { path: { id } } });
if (read.error) throw new Error(read.error.error.message);
const list = await client.GET('/payments/intents', { params: { query: { pageSize: 5, status: 'CREATED' } } });
if (list.error) throw new Error(list.error.error.message);
// @ts-expect-error A list may have no first item.
list.data.data[0].amount;

const missing = await client.GET('/payments/intents/{id}', { params: { path: { id: unknownId } } });
if (!missing.error) throw new Error('It is not missing.');
const missingCode: Code = missing.error.error.code;

const refused = await client.POST('/payments/intents', { body: { amount: '-1', currency: 'XXX' } });
if (!refused.error) throw new Error('It is not refused.');
const { code, param, details } = refused.error.error;
// @ts-expect-error Not every error names a field.
const named: string = param;

const batch = await client.POST('/balance/batch', {
  body: { items: [{ chainId: 1, address: wallet }, { chainId: 5, address: wallet }] },
});
if (batch.error) throw new Error(batch.error.error.message);
const balances = batch.data.data.items.map((item) => {
  // @ts-expect-error Only a balance that could be read has an amount.
  item.formatted;
  return item.ok ? item.formatted + (item.symbol ?? '') : item.error.code;
});

const card = createClient<CardPaths>({ baseUrl: url });
const login = await card.POST('/v1/auth/otp/request', { body: { email: 'ada@example.com' } });
if (login.error) throw new Error(login.error.error.message);
const { requestId, resendAfterSeconds } = login.data;
const wrong = await card.POST('/v1/auth/otp/verify', { body: { requestId, code: '000000' } });
if (!wrong.error) throw new Error('A wrong code was accepted.');

console.log(
  JSON.stringify({
    made: { amount: made.data.data.amount, status },
    read: read.data.data.amount,
    listed: list.data.data.map(({ amount }) => amount),
    missing: missingCode,
    refused: { code, param: named, faults: (details ?? []).map((fault) => fault.param) },
    balances,
    login: { resendAfterSeconds, refused: wrong.error.error.code },
  }),
);
`;

/** By hey-api's fetch client. */
export const callingByHeyApi = `
import { client as cardClient } from './card/client.gen.js';
import { requestOtp, verifyOtp } from './card/index.js';
import { client } from './payments/client.gen.js';
import {
  createPaymentIntent,
  type Error as ApiError,
  getBalances,
  getPaymentIntent,
  listPaymentIntents,
} from './payments/index.js';
${settings}
client.setConfig({ baseUrl: url, auth: () => key });
cardClient.setConfig({ baseUrl: url });
const failed = ({ error }: ApiError) => new globalThis.Error(error.message);

const made = await createPaymentIntent({ body: { amount: '12.5', currency: 'USD' } });
if (made.error) throw failed(made.error);
const { id, status } = made.data.data;

const read = await getPaymentIntent({ path: { id } });
if (read.error) throw failed(read.error);
const list = await listPaymentIntents({ query: { pageSize: 5, status: 'CREATED' } });
if (list.error) throw failed(list.error);
// @ts-expect-error A list may have no first item.
list.data.data[0].amount;

const missing = await getPaymentIntent({ path: { id: unknownId } });
if (!missing.error) throw new Error('It is not missing.');
const missingCode: ApiError['error']['code'] = missing.error.error.code;

const refused = await createPaymentIntent({ body: { amount: '-1', currency: 'XXX' } });
if (!refused.error) throw new Error('It is not refused.');
const { code, param, details } = refused.error.error;
// @ts-expect-error Not every error names a field.
const named: string = param;

const batch = await getBalances({
  body: { items: [{ chainId: 1, address: wallet }, { chainId: 5, address: wallet }] },
});
if (batch.error) throw failed(batch.error);
const balances = batch.data.data.items.map((item) => {
  // @ts-expect-error Only a balance that could be read has an amount.
  item.formatted;
  return item.ok ? item.formatted + (item.symbol ?? '') : item.error.code;
});

const login = await requestOtp({ body: { email: 'grace@example.com' } });
if (login.error) throw failed(login.error);
const { requestId, resendAfterSeconds } = login.data;
const wrong = await verifyOtp({ body: { requestId, code: '000000' } });
if (!wrong.error) throw new Error('A wrong code was accepted.');

console.log(
  JSON.stringify({
    made: { amount: made.data.data.amount, status },
    read: read.data.data.amount,
    listed: list.data.data.map(({ amount }) => amount),
    missing: missingCode,
    refused: { code, param: named, faults: (details ?? []).map((fault) => fault.param) },
    balances,
    login: { resendAfterSeconds, refused: wrong.error.error.code },
  }),
);
`;
