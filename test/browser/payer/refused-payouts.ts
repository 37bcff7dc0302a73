/** Recipients on the first chain that cannot be paid, and their credits. No other test may use their addresses. */
import {
  type Address,
  concat,
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  type Hex,
  http,
} from 'viem';
import { settleCall } from '../../../src/escrow/calldata.ts';
import { readCredit } from '../../../src/escrow/read-credit.ts';
import { termsFromJson } from '../../../src/escrow/terms.ts';
import { usdcTokenAbi } from '../../../src/local/test-tokens.ts';
import type { BrowserGround } from '../setup/ground.ts';
import { walletOf } from './pay-as.ts';

/** Runtime code that reverts every call, including transfers of the native coin. */
const REFUSES: Hex = '0x60006000fd';

export async function openRefusals(ground: BrowserGround) {
  const { chain, escrow, wallet } = walletOf(ground, await ground.newPayer());
  const usdc = getAddress(chain.tokens.find(({ key }) => key.startsWith('USDC-'))?.address ?? '');
  const transport = http(chain.rpcUrl);
  const node = createTestClient({ mode: 'anvil', transport });
  const client = createPublicClient({ transport });
  const send = async (description: string, call: { to: Address; data: Hex }) =>
    void (await wallet.send({ kind: 'transaction', description, ...call, value: '0' }));
  const onToken = (functionName: 'blacklist' | 'unBlacklist', account: Address) =>
    send(functionName, { to: usdc, data: encodeFunctionData({ abi: usdcTokenAbi, functionName, args: [account] }) });
  return {
    block: (account: Address) => onToken('blacklist', account),
    unblock: (account: Address) => onToken('unBlacklist', account),
    /** The account rejects coins but can send transactions, like one that delegates to a contract (EIP-7702). */
    async refuseCoin(account: Address): Promise<void> {
      const contract = getAddress(`0x${'fe'.repeat(20)}`);
      await node.setCode({ address: contract, bytecode: REFUSES });
      await node.setCode({ address: account, bytecode: concat(['0xef0100', contract]) });
    },
    /** Settles the payment, as any account may. */
    async settle(paymentIntentId: string): Promise<void> {
      const { acceptedTermsHash } = await ground.database.paymentIntent.findUniqueOrThrow({
        where: { id: paymentIntentId },
      });
      const { terms } = await ground.database.paymentTerms.findUniqueOrThrow({
        where: { chainId_termsHash: { chainId: chain.chainId, termsHash: acceptedTermsHash ?? '' } },
      });
      await send('settle', settleCall({ escrow, terms: termsFromJson(terms) }));
    },
    balance: (account: Address) =>
      client.readContract({ address: usdc, abi: erc20Abi, functionName: 'balanceOf', args: [account] }),
    coins: (account: Address) => client.getBalance({ address: account }),
    creditOf: (recipient: Address, token: Address = usdc) => readCredit({ client, escrow }, { recipient, token }),
    /** The rows of the database, including delivered payouts. */
    credits: (recipient: Address) =>
      ground.database.creditedPayout.findMany({ where: { recipient: recipient.toLowerCase() } }),
    claimsSent: (recipient: Address) =>
      ground.database.outgoingTransaction.count({
        where: { purpose: { startsWith: `claim:${chain.chainId}:${recipient.toLowerCase()}:` } },
      }),
    /** Prevents scheduled deliveries for the duration of a test. */
    async postpone(recipient: Address): Promise<void> {
      const nextTryAt = new Date(Date.now() + 86_400_000);
      await ground.database.creditedPayout.updateMany({
        where: { recipient: recipient.toLowerCase(), deliveredAt: null },
        data: { nextTryAt },
      });
    },
  };
}
