import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import published from '../../schema/events.json' with { type: 'json' };
import { eventBody } from '../../src/events/event-body.ts';
import { eventTypes } from '../../src/events/event-type.ts';
import { openRestApi, type RestApi } from '../setup/api/rest.ts';

let api: RestApi;
beforeAll(async () => {
  api = await openRestApi();
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(published);

describe('schema/events.json', () => {
  it('describes every type of event', () => {
    expect(published.oneOf.map((one) => one.$ref.replace('#/$defs/', ''))).toEqual([...eventTypes]);
  });

  it('describes every field of events that the API appends', async () => {
    const { secretKey: key, appId } = api.merchantA;
    const make = async (path: string, body: object) => (await api.rest('POST', path, { key, body })).body.data;
    const customer = await make('/customers', { appId, name: 'Ada' });
    await api.rest('PUT', `/customers/${customer.id}`, { key, body: { name: null } });
    await make('/payments/intents', { amount: '1', customerAccountId: customer.id });
    const invoice = await make('/invoices', {
      customerAccountId: customer.id,
      items: [{ description: 'Tea', amount: '3' }],
    });
    await make(`/invoices/${invoice.id}/open`, {});
    await make(`/invoices/${invoice.id}/void`, {});
    const session = await make('/checkout-sessions', { items: [{ name: 'Tea', amount: '2' }] });
    await make(`/checkout-sessions/${session.id}/expire`, {});
    const events = await api.database.event.findMany({ where: { appId }, orderBy: { sequence: 'asc' } });
    expect(new Set(events.map((event) => event.type)).size).toBeGreaterThanOrEqual(6);
    for (const event of events) {
      const body = eventBody(event);
      expect(validate(body), JSON.stringify(validate.errors)).toBe(true);
      const definition = (published.$defs as Record<string, { properties?: { data?: { properties?: object } } }>)[
        event.type
      ];
      const described = Object.keys(definition?.properties?.data?.properties ?? {});
      const undescribed = Object.keys(event.data as object).filter((field) => !described.includes(field));
      expect([event.type, undescribed]).toEqual([event.type, []]);
    }
  });

  it('rejects data that is not an event', () => {
    expect(validate({ id: 'x', type: 'payment_intent.created' })).toBe(false);
    expect(validate({})).toBe(false);
  });
});
