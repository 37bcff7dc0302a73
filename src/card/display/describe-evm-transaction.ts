import { decodeFunctionData, formatUnits, type Hex, parseAbi, size, slice } from 'viem';
import type { Registry } from '../../chains/registry.ts';
import type { EvmTransaction } from '../signing/wanted-signature.ts';
import { type Display, isUnlimited, printAmount, tokenAt } from './display.ts';

const knownCalls = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
  'function increaseAllowance(address spender, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
]);

/** What a transaction does, as far as its call data shows. */
export function describeEvmTransaction(
  world: { registry: Registry },
  request: { chainId: number; transaction: EvmTransaction },
): Display {
  const { chainId, transaction } = request;
  const chain = world.registry.chain(chainId);
  const place = chain?.name ?? `chain ${chainId}`;
  const coins = `${formatUnits(transaction.value, chain?.native.decimals ?? 18)} ${chain?.native.symbol ?? 'coins'}`;
  const withCoins = transaction.value > 0n ? `, with ${coins}` : '';
  if (transaction.to === null) {
    return { summary: `Make a contract on ${place}${withCoins}.`, warnings: ['This deploys code of the client.'] };
  }
  if (transaction.data === '0x') return { summary: `Send ${coins} to ${transaction.to} on ${place}.`, warnings: [] };
  const call = decoded(transaction.data);
  if (!call) {
    const selector = size(transaction.data) >= 4 ? slice(transaction.data, 0, 4) : transaction.data;
    return {
      summary: `Call ${selector} of the contract ${transaction.to} on ${place}${withCoins}.`,
      warnings: ['What this call does cannot be read from its data.'],
    };
  }
  const described = describeCall(world, { chainId, contract: transaction.to, call });
  return { ...described, summary: `${described.summary} on ${place}${withCoins}.` };
}

type KnownCall = NonNullable<ReturnType<typeof decoded>>;

function decoded(data: Hex) {
  try {
    return decodeFunctionData({ abi: knownCalls, data });
  } catch {
    return null;
  }
}

function describeCall(
  world: { registry: Registry },
  request: { chainId: number; contract: Hex; call: KnownCall },
): Display {
  const { call, contract, chainId } = request;
  const token = tokenAt(world.registry, { chainId, address: contract });
  const amountOf = (amount: bigint) => printAmount(amount, token, contract);
  switch (call.functionName) {
    case 'approve':
    case 'increaseAllowance': {
      if (call.args.length === 4) return describePermit2(world, { chainId, args: call.args });
      const [spender, amount] = call.args;
      const summary =
        amount === 0n && call.functionName === 'approve'
          ? `Take back what ${spender} may spend of ${token?.symbol ?? `the token ${contract}`}`
          : `Allow ${spender} to spend ${amountOf(amount)}`;
      return { summary, warnings: allowanceWarnings(spender, amount) };
    }
    case 'transfer': {
      const [to, amount] = call.args;
      return { summary: `Send ${amountOf(amount)} to ${to}`, warnings: [] };
    }
    case 'transferFrom': {
      const [from, to, amount] = call.args;
      return { summary: `Move ${amountOf(amount)} from ${from} to ${to}`, warnings: [] };
    }
    case 'setApprovalForAll': {
      const [operator, isApproved] = call.args;
      if (!isApproved)
        return { summary: `Take back from ${operator} all that it may move of ${contract}`, warnings: [] };
      return {
        summary: `Allow ${operator} to move everything of the collection ${contract}`,
        warnings: [`${operator} could take every item of the collection, now and later.`],
      };
    }
    default:
      return call satisfies never;
  }
}

/** An allowance of Permit2, the contract that manages allowances for many tokens. */
function describePermit2(
  world: { registry: Registry },
  { chainId, args: [address, spender, amount] }: { chainId: number; args: readonly [Hex, Hex, bigint, number] },
): Display {
  const token = tokenAt(world.registry, { chainId, address });
  const summary = `Allow ${spender} to spend ${printAmount(amount, token, address)}`;
  return { summary, warnings: allowanceWarnings(spender, amount) };
}

export function allowanceWarnings(spender: string, amount: bigint): string[] {
  return isUnlimited(amount) ? [`${spender} could take everything that you hold of this token, now and later.`] : [];
}
