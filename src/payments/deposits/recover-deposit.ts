import { type Address, type Hex, isAddress, isAddressEqual } from 'viem';
import { type Database, transaction } from '../../../prisma/client.ts';
import { recordAction } from '../../auth/audit/record-action.ts';
import { type EvmNodes, MULTICALL3 } from '../../chains/evm/nodes.ts';
import type { Registry } from '../../chains/registry.ts';
import { GatewayError, notFound } from '../../errors.ts';
import { returnDepositCall } from '../../escrow/calldata.ts';
import { depositAddress } from '../../escrow/deposits/deposit-address.ts';
import { readBoxes } from '../../escrow/deposits/read-boxes.ts';
import { type PaymentTerms, termsHash } from '../../escrow/terms.ts';
import { enqueueTransaction } from '../../operator/enqueue-transaction.ts';
import { RELAY_SENDER } from '../../operator/relay.ts';
import { isCollectable } from './deposit.ts';
import { tokenKeys } from './deposit-sums.ts';
import { RETURN_GAS, returnFault } from './return-fault.ts';

/** `keys` are the addresses of the sending keys that are held here. */
export type RecoveryWorld = { database: Database; registry: Registry; nodes: EvmNodes; keys: readonly string[] };

/** What happens with the balance of one token. `amount` is in base units. */
export type RecoveredDeposit = {
  address: Address;
  refundAddress: Address;
  tokenKey: string;
  amount: bigint;
  /** QUEUED: this call queued its return. UNDER_WAY: an earlier call did. FAILS: it is not possible at present, for the reason in `fault`. */
  state: 'QUEUED' | 'UNDER_WAY' | 'FAILS';
  fault: string | null;
};

/**
 * Queues the return of all registered tokens at a deposit address that the database does not contain, because it was issued after the
 * backup that the database was restored from. The address is derived from the terms, so that only complete and unaltered terms lead to
 * it, and the contract pays the return to the payer of the terms alone. Calling it again queues nothing that is under way. Writes the
 * transactions and an audit entry.
 *
 * Throws NOT_FOUND for a chain without an escrow; CONFLICT if the database contains the address, whose money is then collected or
 * returned automatically; and CHAIN_UNAVAILABLE.
 */
export async function recoverDeposit(
  world: RecoveryWorld,
  { chainId, terms }: { chainId: number; terms: PaymentTerms },
): Promise<RecoveredDeposit[]> {
  const chain = world.registry.chain(chainId);
  if (chain?.family !== 'EVM' || !chain.escrow) throw notFound('chain');
  const { escrow } = chain;
  const id = termsHash(terms);
  const known = await world.database.depositAddress.findUnique({
    where: { chainId_termsHash: { chainId, termsHash: id } },
  });
  if (known) {
    throw new GatewayError(
      'CONFLICT',
      `The database contains the deposit address ${known.address}. What arrives there is collected or returned automatically.`,
    );
  }
  const address = depositAddress({ escrow, id });
  const keys = tokenKeys(world.registry, chainId);
  const tokens = [...keys.keys()].flatMap((token) => (isAddress(token) ? [token] : []));
  const read = await world.nodes.asking(chainId, (client) =>
    readBoxes({ client, escrow, multicall: MULTICALL3 }, { boxes: [{ id, address }], tokens }),
  );
  const box = read.boxes.get(id);
  if (!box) throw new GatewayError('CHAIN_UNAVAILABLE', `The state of payment ${id} was not returned.`);
  const { authorizeBy, operator, payer } = terms;
  const isReserved = isCollectable({ ...terms, status: box.state.status, time: read.timestamp, held: 0n });
  const recovered: RecoveredDeposit[] = [];
  for (const [token, amount] of box.balances) {
    if (amount === 0n) continue;
    const tokenKey = keys.get(token.toLowerCase()) ?? token;
    // Until the payment cannot be authorized any more, the contract lets only its operator return what may pay it.
    const needsOperator = isReserved && isAddressEqual(token, terms.token);
    const call = returnDepositCall({ escrow, terms, token });
    const isBarred = needsOperator && !world.keys.some((key) => key.toLowerCase() === operator.toLowerCase());
    const fault = isBarred
      ? `Until ${new Date(authorizeBy * 1000).toISOString()}, only the operator ${operator} may return it, and its key is not held here.`
      : await returnFault(world, { chainId, call, sender: operator });
    const of = { address, refundAddress: payer, tokenKey, amount };
    if (fault === null) {
      const sender = needsOperator ? operator : RELAY_SENDER;
      recovered.push({ ...of, state: await queue(world, { chainId, id, token, sender, call }), fault });
    } else recovered.push({ ...of, state: 'FAILS', fault });
  }
  return recovered;
}

/** One return of a token is under way at a time. A later deposit at the same address can be recovered again. */
async function queue(
  { database }: RecoveryWorld,
  request: { chainId: number; id: Hex; token: Address; sender: string; call: { to: Address; data: Hex } },
): Promise<'QUEUED' | 'UNDER_WAY'> {
  const { chainId, id, token, sender, call } = request;
  const prefix = `recover-deposit:${chainId}:${id}:${token.toLowerCase()}:`;
  return await transaction(database, async (tx) => {
    const earlier = await tx.outgoingTransaction.findMany({
      where: { purpose: { startsWith: prefix } },
      select: { status: true },
    });
    if (earlier.some(({ status }) => status === 'QUEUED' || status === 'SIGNED' || status === 'SENT')) {
      return 'UNDER_WAY';
    }
    await enqueueTransaction(tx, {
      chainId,
      sender,
      to: call.to,
      data: call.data,
      purpose: `${prefix}${earlier.length}`,
      maxFailures: 1,
      maxGas: RETURN_GAS,
    });
    await recordAction(tx, {
      action: 'deposit.recovered',
      owner: 'INSTALLATION',
      target: { type: 'DepositAddress', id: null },
      after: { chainId, termsHash: id, token },
    });
    return 'QUEUED';
  });
}
