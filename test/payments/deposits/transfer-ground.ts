/** A gateway whose sessions are paid by plain transfer, and payers who send as an exchange does. */
import { type Address, erc20Abi, type Hex, zeroAddress } from 'viem';
import { openSolanaNodes } from '../../../src/chains/solana/open-solana-nodes.ts';
import { createCheckoutSessionSchema } from '../../../src/checkout/checkout-session.ts';
import type { CheckoutWorld } from '../../../src/checkout/checkout-world.ts';
import { confirmCheckout } from '../../../src/checkout/confirm-checkout.ts';
import { createCheckoutSession } from '../../../src/checkout/create-checkout-session.ts';
import type { PaymentStep } from '../../../src/checkout/payment-step.ts';
import { prepareCheckout } from '../../../src/checkout/prepare-checkout.ts';
import { sweepPayments } from '../../../src/payments/actions/sweep-payments.ts';
import { ownBalance, shownDeposit } from '../../../src/payments/deposits/deposit.ts';
import { sweepDeposits } from '../../../src/payments/deposits/schedule-deposits.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

export type TransferSession = { id: string; paymentIntentId: string };
export type PreparedTransfer = Extract<PaymentStep, { kind: 'transfer' }> & { quoteId: string; termsHash: Hex };
export type TransferGround = Awaited<ReturnType<typeof openTransferGround>>;

export async function openTransferGround(options: Parameters<typeof openGateway>[0] = {}) {
  const gateway = await openGateway({ finalityBlocks: 40, ...options });
  return { gateway, ...(await transferClient(gateway)) };
}

export async function transferClient(gateway: Gateway) {
  const { action, app, database, evm } = gateway;
  await database.payoutAddress.create({ data: { appId: app.id, family: 'EVM', address: evm.merchant.address } });
  const world: CheckoutWorld = {
    ...action,
    solanaNodes: openSolanaNodes({ registry: action.registry, rpc: [] }),
    config: {
      ...action.config,
      feeRecipient: evm.feeRecipient.address,
      arbiter: { privateKey: undefined, address: evm.arbiter.address },
      solana: { vaultSecret: undefined, operatorKey: undefined, feeRecipient: undefined, custodialMainnet: false },
    },
  };
  const openSession = async (amount = '10.00', further: Record<string, unknown> = {}): Promise<TransferSession> => {
    const input = createCheckoutSessionSchema.parse({ items: [{ name: 'Tea', amount }], ...further });
    const merchant = { id: app.id, merchantId: gateway.scope.merchantId };
    const { session } = await createCheckoutSession(world, { app: merchant, input });
    if (session.paymentIntentId === null) throw new Error('The session has no intent.');
    return { id: session.id, paymentIntentId: session.paymentIntentId };
  };
  const prepare = async (
    session: TransferSession,
    { tokenKey = evm.usdc.key, refundAddress = evm.payers[0].address as Address } = {},
  ): Promise<PreparedTransfer> => {
    const input = { chainId: evm.chainId, tokenKey, walletAddress: refundAddress, method: 'TRANSFER' as const };
    const prepared = await prepareCheckout(world, { scope: gateway.scope, sessionId: session.id, input });
    const [step] = prepared.steps;
    if (step?.kind !== 'transfer') throw new Error('The step is no transfer.');
    const { termsHash } = await database.quote.findUniqueOrThrow({ where: { id: prepared.quote.id } });
    return { ...step, quoteId: prepared.quote.id, termsHash: termsHash as Hex };
  };
  const confirm = (session: TransferSession) =>
    confirmCheckout(world, { scope: gateway.scope, sessionId: session.id, input: {} });
  /** From payer 2, who is nobody to the gateway, as an exchange is. */
  const transfer = async (to: Address, amount: bigint, token: Address = evm.usdc.address): Promise<Hex> => {
    const wallet = evm.walletFor(evm.payers[1].privateKey);
    const hash =
      token === zeroAddress
        ? await wallet.sendTransaction({ to, value: amount })
        : await wallet.writeContract({ address: token, abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
    await evm.publicClient.waitForTransactionReceipt({ hash });
    return hash;
  };
  const balanceOf = (owner: Address, token: Address = evm.usdc.address): Promise<bigint> =>
    token === zeroAddress
      ? evm.publicClient.getBalance({ address: owner })
      : evm.publicClient.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] });
  /** The intent's `transfer`, in base units. */
  const shown = async (id: string) => {
    const intent = await database.paymentIntent.findUniqueOrThrow({ where: { id } });
    const include = { balances: true };
    const deposits = await database.depositAddress.findMany({
      where: { paymentIntentId: id },
      orderBy: { createdAt: 'asc' },
      include,
    });
    const deposit = shownDeposit(intent, deposits);
    if (!deposit) return null;
    const own = ownBalance(deposit);
    const print = (name: 'received' | 'returned' | 'held') => own?.[name].toFixed() ?? '0';
    return { address: deposit.address, received: print('received'), returned: print('returned'), held: print('held') };
  };
  /** Until nothing is due for a few minutes: returns are decided again after a minute. */
  const rest = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      await gateway.settleDown();
      await sweepPayments(action);
      await sweepDeposits(action);
      await gateway.passTime(61);
    }
    await gateway.settleDown();
  };
  /** The kinds of what reached an intent without being its payment. */
  const strays = async (paymentIntentId: string) => {
    const rows = await gateway.database.strayPayment.findMany({ where: { paymentIntentId }, orderBy: { kind: 'asc' } });
    return rows.map(({ kind }) => kind);
  };
  return { world, openSession, prepare, confirm, transfer, balanceOf, shown, strays, rest };
}
