/** Addresses out of which nobody could move money again: set by a merchant, named by a payer, or stored already. */
import { beforeAll, describe, expect, it, test } from 'vitest';
import { escrowAddress } from '../../src/escrow/escrow-bytecode.ts';
import { openRestApi, type RestApi } from '../setup/api/rest.ts';
import { testChains } from '../setup/chains/test-chains.ts';

const [here, elsewhere] = testChains;
if (!here || !elsewhere) throw new Error('There are two test chains.');
const usdc = '0x1000000000000000000000000000000000000001';
const usdcElsewhere = '0x2000000000000000000000000000000000000001';
const wallet = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';
const dead = 'http://127.0.0.1:9';

let api: RestApi;
beforeAll(async () => {
  const tokens = elsewhere.tokens.map((token, index) => (index === 0 ? { ...token, address: usdcElsewhere } : token));
  api = await openRestApi({
    chains: [here, { ...elsewhere, tokens: tokens.slice(0, 1) }],
    rpc: { 31337: dead, 31338: dead },
  });
});

const sinks: [address: string, fault: string][] = [
  ['0x0000000000000000000000000000000000000000', 'is the zero address, to which nobody has a key'],
  [
    '0x0000000000000000000000000000000000000100',
    'is reserved for precompiles and system contracts, and nobody has a key to it',
  ],
  [usdc, 'is the contract of USDC on Local one'],
];

describe('a payout address', () => {
  const UPDATE = `mutation ($id: ID, $input: UpdateAppInput!) { updateApp(id: $id, input: $input) {
    id name payoutAddresses { family address } } }`;
  const update = (input: object, call: { id?: string; key?: string } = {}) =>
    api.graphql(UPDATE, { id: call.id, input }, { key: call.key ?? api.merchantA.secretKey });
  const stored = (appId: string) => api.database.payoutAddress.findMany({ where: { appId } });

  test.each([...sinks, [usdcElsewhere, 'is the contract of USDC on Local two']])(
    '%s is refused by its field, and nothing else of the call is written',
    async (address, fault) => {
      const before = await stored(api.merchantA.appId);
      const { errors } = await update({ name: 'Renamed', payoutAddresses: [{ family: 'EVM', address }] });
      expect(errors?.[0]?.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        param: 'payoutAddresses[0].address',
        details: [{ param: 'payoutAddresses[0].address', message: fault }],
      });
      expect(await stored(api.merchantA.appId)).toEqual(before);
      const app = await api.database.app.findUniqueOrThrow({ where: { id: api.merchantA.appId } });
      expect(app.name).toBe('Alpha');
    },
  );

  it('that is the escrow, or a token account on Solana, is named among those that are fine', async () => {
    const { errors } = await update({
      payoutAddresses: [
        { family: 'EVM', address: escrowAddress },
        { family: 'SOLANA', address: 'FGETo8T8wMcN2wCjav8VK6eh3dLk63evNDPxzLSJra8B' },
        { family: 'SUI', address: `0x${'a'.repeat(64)}` },
      ],
    });
    expect(errors?.[0]?.extensions.details).toEqual([
      { param: 'payoutAddresses[0].address', message: expect.stringMatching(/^is the escrow contract on /) },
      { param: 'payoutAddresses[1].address', message: expect.stringMatching(/^is no wallet/) },
    ]);
  });

  it('of a wallet is taken, and another merchant’s app answers like a missing one', async () => {
    const payoutAddresses = [{ family: 'EVM', address: wallet }];
    expect((await update({ payoutAddresses }, { key: api.merchantB.secretKey })).data.updateApp).toMatchObject({
      payoutAddresses,
    });
    const missing = await update({ payoutAddresses }, { id: crypto.randomUUID() });
    const foreign = await update({ payoutAddresses }, { id: api.merchantB.appId });
    expect([foreign.errors?.[0]?.extensions.code, foreign.errors?.[0]?.message]).toEqual([
      missing.errors?.[0]?.extensions.code,
      missing.errors?.[0]?.message,
    ]);
  });
});

describe('a wallet of a customer', () => {
  it('is refused by its field where nobody has a key to it on its chain', async () => {
    const key = api.merchantA.secretKey;
    const { id } = (await api.rest('POST', '/customers', { key, body: { appId: api.merchantA.appId, name: 'Ada' } }))
      .body.data;
    const link = (walletAddress: string, chainId = 31337) =>
      api.rest('POST', `/customers/${id}/wallets`, { key, body: { chainId, walletAddress } });
    for (const [address, fault] of sinks) {
      const { status, body } = await link(address);
      expect([status, body.error.code, body.error.details]).toEqual([
        400,
        'VALIDATION_ERROR',
        [{ param: 'walletAddress', message: fault }],
      ]);
    }
    expect((await link(wallet)).status).toBeLessThan(300);
  });
});

describe('a checkout', () => {
  async function openSession() {
    const body = { items: [{ name: 'Tea', amount: '10.00' }] };
    return (await api.rest('POST', '/checkout-sessions', { key: api.merchantA.secretKey, body })).body.data;
  }
  type Session = { id: string; clientSecret: string };
  const prepare = (session: Session, input: object = {}) =>
    api.rest('POST', `/checkout-sessions/${session.id}/prepare`, {
      clientSecret: session.clientSecret,
      body: { chainId: 31337, tokenKey: 'USDC-31337', walletAddress: wallet, method: 'DIRECT', ...input },
    });
  const chainsOf = async (session: Session): Promise<number[]> => {
    const { clientSecret } = session;
    const { body } = await api.rest('GET', `/checkout-sessions/${session.id}/options`, { clientSecret });
    return [...new Set<number>(body.data.options.map((option: { chainId: number }) => option.chainId))].sort();
  };

  test.each(sinks)('refuses %s as the payer’s wallet', async (walletAddress, fault) => {
    const { status, body } = await prepare(await openSession(), { walletAddress });
    expect([status, body.error.code, body.error.details]).toEqual([
      400,
      'VALIDATION_ERROR',
      [{ param: 'walletAddress', message: fault }],
    ]);
    // A wallet gets as far as the node, which is dead.
    expect((await prepare(await openSession())).body.error.code).toBe('CHAIN_UNAVAILABLE');
  });

  it('does not offer the chain on which a stored payout address is a sink, and prepares nothing there', async () => {
    const session = await openSession();
    expect(await chainsOf(session)).toEqual([31337, 31338]);
    const where = { appId_family: { appId: api.merchantA.appId, family: 'EVM' } } as const;
    const { address } = await api.database.payoutAddress.findUniqueOrThrow({ where });
    await api.database.payoutAddress.update({ where, data: { address: usdc } });
    expect(await chainsOf(session)).toEqual([31338]);
    const { status, body } = await prepare(session);
    expect([status, body.error.code, body.error.param]).toEqual([409, 'CONFLICT', 'payoutAddress']);
    expect(body.error.message).toContain(`its payout address ${usdc} is the contract of USDC on Local one`);
    expect(await api.database.paymentTerms.count()).toBe(0);
    const other = { chainId: 31338, tokenKey: 'USDC-31338' };
    expect((await prepare(session, other)).body.error.code).toBe('CHAIN_UNAVAILABLE');
    await api.database.payoutAddress.update({ where, data: { address: escrowAddress } });
    expect(await chainsOf(session)).toEqual([]);
    await api.database.payoutAddress.update({ where, data: { address } });
    expect(await chainsOf(session)).toEqual([31337, 31338]);
  });
});
