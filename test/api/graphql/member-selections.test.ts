/** A member names the app in the call. Its chains and tokens are validated as for the app's own key. */
import { expect, test } from 'vitest';
import { inviteMember } from '../../../src/auth/members/invite-member.ts';
import { issueToken } from '../../../src/auth/tokens/issue-token.ts';
import { newId } from '../../../src/platform/identifier.ts';
import { openRestApi } from '../../setup/api/rest.ts';

const api = await openRestApi();
const { merchantId, appId, secretKey: key } = api.merchantA;

async function asOwner() {
  const { id: memberId } = await inviteMember(api.world, { merchantId, email: 'owner@example.com', role: 'OWNER' });
  const [sessionId, createdAt] = [newId(), api.world.clock.now()];
  const expiresAt = new Date(createdAt.getTime() + 3_600_000);
  await api.database.memberSession.create({ data: { id: sessionId, memberId, expiresAt, createdAt } });
  const { token } = await issueToken(api.world, { subject: { audience: 'dashboard', memberId, sessionId } });
  return { authorization: `Bearer ${token}` };
}

const headers = await asOwner();
const made = async (path: string, body: object) => (await api.rest('POST', path, { key, body })).body.data;
const customer = await made('/customers', { appId, name: 'Ada' });
const plan = await made('/product-plans', {
  name: 'Gold',
  planType: 'SUBSCRIPTION',
  prices: [{ amount: '10', billingInterval: 'MONTH' }],
});
const bodies: Record<string, object> = {
  '/payment-links': { appId, name: 'Coffee', slug: 'coffee' },
  '/invoices': { appId, customerAccountId: customer.id, items: [{ description: 'Tea', amount: '5' }] },
  '/subscriptions': {
    appId,
    customerAccountId: customer.id,
    productPlanId: plan.id,
    productPlanPriceId: plan.prices[0].id,
  },
};

test.each([
  ['an unknown chain', { allowedChains: [31337, 999_999] }, 'allowedChains[1]'],
  ['a chain of the other mode', { allowedChains: [1] }, 'allowedChains[0]'],
  ['an unknown token', { allowedTokens: ['NOPE-1'] }, 'allowedTokens[0]'],
  ['no token on any chain', { allowedChains: [31337], allowedTokens: ['USDC-31338'] }, 'allowedTokens'],
])('refuses %s for a member as for a key', async (_what, selection, param) => {
  for (const [path, body] of Object.entries(bodies)) {
    for (const caller of [{ key }, { headers }]) {
      const answer = await api.rest('POST', path, { ...caller, body: { ...body, ...selection } });
      expect([answer.status, answer.body.error?.param], path).toEqual([400, param]);
    }
  }
  expect(await api.database.paymentLink.count()).toBe(0);
});

test('accepts a valid selection from a member', async () => {
  for (const [path, body] of Object.entries(bodies)) {
    const selection = { allowedChains: [31337], allowedTokens: ['USDC-31337'] };
    const answer = await api.rest('POST', path, { headers, body: { ...body, ...selection } });
    expect([answer.status, answer.body.success], path).toEqual([200, true]);
  }
});
