/** A gateway whose recipients can be made impossible to pay, and what the books, the contract and `verify` say of it. */
import { type Address, getAddress, type Hex, zeroAddress } from 'viem';
import type { CreditedPayout, LedgerAccount } from '../../../prisma/client.ts';
import { readCredit } from '../../../src/escrow/read-credit.ts';
import type { PaymentTerms } from '../../../src/escrow/terms.ts';
import { usdcTokenAbi, usdtTokenAbi } from '../../../src/local/test-tokens.ts';
import { verifyOpenPayments } from '../../../src/payments/verification/verify-open-payments.ts';
import { verifyPayment } from '../../../src/payments/verification/verify-payment.ts';
import { type Gateway, openGateway } from '../../setup/gateway/gateway.ts';

/** Runtime code that refuses every call, and with it the native coin. */
const REFUSES: Hex = '0x60006000fd';

export type PayoutsGround = Awaited<ReturnType<typeof openPayoutsGround>>;

export async function openPayoutsGround(options: Parameters<typeof openGateway>[0] = {}) {
  const gateway = await openGateway(options);
  const { evm, database } = gateway;
  const stranger = evm.walletFor(evm.payers[2].privateKey);
  const mined = async (hash: Hex) => void (await evm.publicClient.waitForTransactionReceipt({ hash }));
  const onUsdc = async (functionName: 'blacklist' | 'unBlacklist', account: Address) =>
    await mined(
      await stranger.writeContract({ address: evm.usdc.address, abi: usdcTokenAbi, functionName, args: [account] }),
    );
  const onUsdt = async (functionName: 'addBlackList' | 'removeBlackList') =>
    await mined(
      await stranger.writeContract({ address: evm.usdt.address, abi: usdtTokenAbi, functionName, args: [evm.escrow] }),
    );
  return {
    ...gateway,
    block: (account: Address) => onUsdc('blacklist', account),
    unblock: (account: Address) => onUsdc('unBlacklist', account),
    /** The escrow can send nobody any USDT. */
    pauseUsdt: () => onUsdt('addBlackList'),
    resumeUsdt: () => onUsdt('removeBlackList'),
    refuseCoin: (address: Address) => evm.testClient.setCode({ address, bytecode: REFUSES }),
    acceptCoin: (address: Address) => evm.testClient.setCode({ address, bytecode: '0x' }),
    /** Signs in the native coin or USDT, and pays. */
    payIn: (tokenKey: string, fields: Partial<PaymentTerms>) => payIn(gateway, tokenKey, fields),
    payouts: (id: string): Promise<CreditedPayout[]> =>
      database.creditedPayout.findMany({ where: { paymentIntentId: id }, orderBy: { logIndex: 'asc' } }),
    credit: (recipient: Address, token: Address = evm.usdc.address) =>
      readCredit({ client: evm.publicClient, escrow: evm.escrow }, { recipient: getAddress(recipient), token }),
    /** The sum of each account of a payment's books; throws unless they add up to zero. */
    async books(id: string): Promise<Partial<Record<LedgerAccount, bigint>>> {
      const entries = await database.ledgerEntry.findMany({ where: { paymentIntentId: id } });
      const sums: Partial<Record<LedgerAccount, bigint>> = {};
      for (const { account, amount } of entries) sums[account] = (sums[account] ?? 0n) + BigInt(amount.toFixed());
      const total = Object.values(sums).reduce((sum, amount) => sum + amount, 0n);
      if (total !== 0n) throw new Error(`The books of ${id} are off by ${total}.`);
      return sums;
    },
    verify: (id: string) => verifyPayment({ ...gateway, logs: gateway.source }, { intentId: id }),
    verifyAll: () => verifyOpenPayments({ ...gateway, clock: gateway.clock }),
    /** The numbers of the app's events, which have no gaps. */
    async sequences(): Promise<number[]> {
      const events = await database.event.findMany({ where: { appId: gateway.app.id }, orderBy: { sequence: 'asc' } });
      return events.map(({ sequence }) => Number(sequence));
    },
    claimsSent: () => database.outgoingTransaction.count({ where: { purpose: { startsWith: 'claim:' } } }),
    stranger: evm.payers[2],
    native: zeroAddress,
  };
}

async function payIn(gateway: Gateway, tokenKey: string, fields: Partial<PaymentTerms>) {
  const { database, evm } = gateway;
  if (fields.token && fields.token !== zeroAddress) {
    const hash = await evm.walletFor(evm.payers[0].privateKey).writeContract({
      address: fields.token,
      abi: usdtTokenAbi,
      functionName: 'approve',
      args: [evm.escrow, 10_000_000n],
    });
    await evm.publicClient.waitForTransactionReceipt({ hash });
  }
  const intent = await gateway.intent();
  const signed = await gateway.sign(intent, fields);
  await database.paymentTerms.updateMany({ where: { termsHash: signed.id }, data: { tokenKey } });
  await gateway.authorize(signed);
  await gateway.settleDown();
  return { id: intent.id, signed };
}
