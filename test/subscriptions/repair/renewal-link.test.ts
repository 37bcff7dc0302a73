/** From the mail about a failed renewal to the next renewal: the page behind its link, and the actions of the payer on it. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import type { CheckoutWorld } from '../../../src/checkout/checkout-world.ts';
import { cancelSubscription } from '../../../src/subscriptions/cancel-subscription.ts';
import { confirmConsent } from '../../../src/subscriptions/consent/confirm-consent.ts';
import { prepareConsent } from '../../../src/subscriptions/consent/prepare-consent.ts';
import { renewalUrl } from '../../../src/subscriptions/repair/renewal-link.ts';
import { signStep } from '../../checkout/sign-step.ts';
import { later, openMails } from '../../events/mails/mail-ground.ts';
import { DAY, HOUR } from '../renewal-ground.ts';

type Mails = Awaited<ReturnType<typeof openMails>>;
let mails: Mails;
let ground: Mails['ground'];

beforeAll(async () => {
  mails = await openMails();
  ground = mails.ground;
  const { app, evm } = ground;
  await ground.database.payoutAddress.create({ data: { appId: app.id, family: 'EVM', address: evm.merchant.address } });
});
beforeEach(() => mails.forget());

const checkoutWorld = (): CheckoutWorld => ({
  ...ground.action,
  solanaNodes: openSolanaNodes({ registry: ground.action.registry, rpc: [] }),
  config: {
    ...ground.action.config,
    quoteSeconds: 600,
    feeRecipient: ground.evm.feeRecipient.address,
    arbiter: { privateKey: undefined, address: ground.evm.arbiter.address },
    solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
  },
});

/** A subscription whose renewal has failed and whose payer has received a mail about it. */
async function failing(allowance = 3_000_000n) {
  await mails.switchOn({ kinds: ['RENEWAL_FAILED'] });
  const { id: customerAccountId, email } = await mails.customer();
  const made = await ground.subscribe();
  await ground.database.subscription.update({ where: { id: made.id }, data: { customerAccountId } });
  await ground.database.customerWallet.update({ where: { id: made.walletId }, data: { customerAccountId } });
  await ground.allow(ground.evm.payers[0], allowance);
  await ground.goTo(made.trialEnd);
  const [mail] = mails.mailsTo(email);
  const url = /http:\S+\/renewal\/\S+/.exec(mail?.text ?? '')?.[0] ?? '';
  return { ...made, mail, url, email };
}

const open = (url: string, language = 'en') =>
  fetch(mails.here(url), { headers: { 'accept-language': language }, redirect: 'manual' });
const press = (url: string, action: string) =>
  fetch(mails.here(url.replace('?', `/${action}?`)), { method: 'POST', redirect: 'manual' });

describe('the link in the mail about a failed renewal', () => {
  it('shows the failed payment and its cause, with exact amounts, in both languages', async () => {
    const { url, mail } = await failing();
    expect(mail?.text).toContain('Update payment method');
    const response = await open(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    const page = await response.text();
    expect(page).toContain('The renewal costs 10 USDC, but the token approval of your wallet is only 3 USDC.');
    expect(page).toContain('approve at least 10 USDC on');
    expect(page).toContain(ground.evm.escrow);
    expect(page).toContain('Pay $10.00 once');
    const german = await (await open(url, 'de-DE,en;q=0.5')).text();
    expect(german).toContain('<html lang="de">');
    expect(german).toContain(
      'Die Verlängerung kostet 10 USDC, die Token-Freigabe Ihrer Wallet beträgt aber nur 3 USDC.',
    );
  });

  it('leads to a consent of another wallet, which pays the open invoice and the next renewal', async () => {
    const { id, url } = await failing(0n);
    const [before, , after] = ground.evm.payers;
    await ground.allow(before);
    const held = [await ground.balance(before), await ground.balance(after)] as const;
    const pressed = await press(url, 'consent');
    expect(pressed.status).toBe(303);
    const [, sessionId = '', secret = ''] =
      /checkout\/([0-9a-f-]{36})#(cs_\S+)$/.exec(pressed.headers.get('location') ?? '') ?? [];
    expect(secret).not.toBe('');
    const world = checkoutWorld();
    const { scope, evm } = ground;
    const input = {
      chainId: evm.chainId,
      tokenKey: evm.usdc.key,
      method: 'PERMIT',
      walletAddress: after.address,
    } as const;
    const prepared = await prepareConsent(world, { scope, sessionId, input });
    const signatures: Record<string, `0x${string}`> = {};
    for (const step of prepared.steps)
      if (step.kind === 'signTypedData') signatures[step.name] = await signStep(after, step);
    await confirmConsent(world, { scope, sessionId, input: { signatures } });
    for (let round = 0; round < 4; round += 1) await ground.goTo(later(ground.clock.now(), 15));
    expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID']);
    expect(await ground.balance(after)).toBe(held[1] - 10_000_000n);
    // The link offers no more actions, because its invoice is paid.
    expect(await (await open(url)).text()).toContain('Renewal paid');
    const replayed = await press(url, 'consent');
    expect(replayed.headers.get('location')).toBe(url);
    const { currentPeriodEnd } = await ground.subscriptionOf(id);
    await ground.goTo(currentPeriodEnd ?? new Date(0));
    expect((await ground.invoices(id)).map(({ status }) => status)).toEqual(['PAID', 'PAID']);
    expect(await ground.balance(after)).toBe(held[1] - 20_000_000n);
    expect(await ground.balance(before)).toBe(held[0]);
  });

  it('checks again after a top-up, and charges the invoice at once if possible', async () => {
    const { id, url } = await failing();
    const payer = ground.evm.payers[0];
    expect((await press(url, 'retry')).headers.get('location')).toBe(url);
    expect(await ground.attempts(id)).toHaveLength(1);
    expect((await ground.subscriptionOf(id)).captureRetryCount).toBe(1);
    await ground.allow(payer, 10_000_000n);
    expect(await (await open(url)).text()).toContain('Your wallet can pay for the renewal now.');
    expect((await press(url, 'retry')).status).toBe(303);
    expect(await (await open(url)).text()).toContain('Your payment is being processed');
    await press(url, 'retry');
    await ground.goTo(later(ground.clock.now(), 10));
    expect((await ground.attempts(id)).map(({ status }) => status)).toEqual(['FAILED', 'PAID']);
    expect(await ground.eventTypes(id)).toEqual(['renewal_at_risk', 'payment_failed', 'renewed']);
  });

  it('names the missing amount in the wallet', async () => {
    await mails.switchOn({ kinds: ['RENEWAL_FAILED'] });
    const [, payer, friend] = ground.evm.payers;
    await ground.allow(payer);
    const { id: customerAccountId, email } = await mails.customer();
    const made = await ground.subscribe({ payer });
    await ground.database.subscription.update({ where: { id: made.id }, data: { customerAccountId } });
    const held = await ground.balance(payer);
    await ground.give(payer, friend, held - 2_500_000n);
    await ground.goTo(made.trialEnd);
    const url = /http:\S+\/renewal\/\S+/.exec(mails.mailsTo(email)[0]?.text ?? '')?.[0] ?? '';
    const page = await (await open(url)).text();
    expect(page).toContain('Send at least 7.5 USDC on');
    expect(page).toContain(`to ${payer.address}`);
    await ground.give(friend, payer, held - 2_500_000n);
    await press(url, 'retry');
    await ground.goTo(later(ground.clock.now(), 10));
    expect((await ground.invoices(made.id)).map(({ status }) => status)).toEqual(['PAID']);
  });

  it('explains a raised price and a revoked consent, and offers only a new consent', async () => {
    const { url, id, consent } = await failing();
    await ground.allow(ground.evm.payers[0]);
    ground.setPrices('USDC=0.5');
    const raised = await (await open(url)).text();
    expect(raised).toContain('The renewal costs 20 USDC. This exceeds your spending limit of 12.5 USDC per period.');
    expect(raised).not.toContain('Check again');
    ground.setPrices('');
    await ground.revoke(ground.evm.payers[0], consent);
    expect(await (await open(url)).text()).toContain('You revoked the recurring payment with your wallet');
    expect((await press(url, 'retry')).status).toBe(303);
    expect((await ground.subscriptionOf(id)).retryRequestedAt).toBeNull();
  });

  it('can pay this invoice only', async () => {
    const { url } = await failing();
    const location = (await press(url, 'pay')).headers.get('location') ?? '';
    const [, sessionId = ''] = /checkout\/([0-9a-f-]{36})#cs_/.exec(location) ?? [];
    const session = await ground.database.checkoutSession.findUniqueOrThrow({ where: { id: sessionId } });
    expect(session).toMatchObject({ mode: 'PAYMENT', renewsConsent: false });
  });
});

describe('a link', () => {
  it('rejects a guessed or extended link', async () => {
    const { url } = await failing();
    const parsed = new URL(url);
    const expires = Number(parsed.searchParams.get('expires'));
    const changed = (name: string, value: string) => {
      const other = new URL(url);
      other.searchParams.set(name, value);
      return other.toString();
    };
    for (const other of [
      changed('token', 'wrong'),
      changed('expires', String(expires + 1)),
      changed('expires', '-1'),
      changed('expires', '1e99'),
      url.replace(/renewal\/[0-9a-f-]{36}/, `renewal/${crypto.randomUUID()}`),
    ]) {
      expect((await open(other)).status).toBe(404);
      expect((await press(other, 'consent')).status).toBe(404);
    }
    expect((await open(url.replace('?', '/unknown?'))).status).toBe(404);
    expect((await fetch(mails.here(url), { method: 'POST' })).status).toBe(405);
    expect((await open(url.replace('?', '/consent?'))).status).toBe(405);
    // An invoice that does not belong to a renewal has no such page, even with a valid link.
    const stranger = renewalUrl(ground.action, { invoiceId: crypto.randomUUID(), expiresAt: expires });
    expect((await open(stranger)).status).toBe(404);
  });

  it('expires after 30 days', async () => {
    const { url, id } = await failing();
    await ground.database.subscription.update({ where: { id }, data: { maxCaptureRetries: 40 } });
    const sessions = await ground.database.checkoutSession.count();
    await ground.goTo(later(ground.clock.now(), 30 * DAY + HOUR), false);
    expect((await open(url)).status).toBe(410);
    expect((await press(url, 'consent')).status).toBe(410);
    expect(await ground.database.checkoutSession.count()).toBe(sessions);
  });

  it('offers no payment once the subscription is cancelled', async () => {
    const { url, id } = await failing();
    await cancelSubscription(ground, { scope: ground.scope, id, cancelAtPeriodEnd: false });
    expect(await (await open(url)).text()).toContain('No payment is due');
    for (const action of ['retry', 'consent', 'pay']) {
      expect((await press(url, action)).headers.get('location')).toBe(url);
    }
    expect(await ground.database.checkoutSession.count({ where: { subscriptionId: id } })).toBe(0);
  });
});
