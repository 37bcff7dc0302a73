/** Reads the current state of payments and consents from the contract, and allowances from tokens, with one call per chain. */
import { type Address, erc20Abi, zeroAddress } from 'viem';
import { getBlock, multicall } from 'viem/actions';
import { escrowAbi } from '../../../../src/escrow/escrow-abi.ts';
import { type EscrowState, escrowStatuses } from '../../../../src/escrow/read-escrow-state.ts';
import type { ChainReader } from '../../wallet/evm/chain-reader.ts';
import type { HeldAllowance, HeldConsent, HeldPayment } from '../holdings/holding.ts';
import { holdingKey } from '../holdings/holding.ts';

export type ChainStates = {
  chainId: number;
  /** By the payment's key. */
  payments: ReadonlyMap<string, EscrowState>;
  /** Whether the consent is revoked, by the consent's key. */
  consents: ReadonlyMap<string, boolean>;
  /** Allowances of zero are omitted. */
  allowances: readonly HeldAllowance[];
  /** Money that could not be sent to the wallet and can be claimed. */
  credits: readonly HeldAllowance[];
  /** The time of the newest block, in unix seconds. */
  blockTime: number;
};

type Asked = {
  chainId: number;
  escrow: Address;
  wallet: Address;
  tokens: readonly { key: string; address: string }[];
  payments: readonly HeldPayment[];
  consents: readonly HeldConsent[];
};

/** Throws the node's errors. If a single call fails, its value is absent, which does not mean zero. */
export async function readStates(client: ChainReader, asked: Asked): Promise<ChainStates> {
  const { chainId, escrow, wallet, tokens, payments, consents } = asked;
  const contract = { address: escrow, abi: escrowAbi } as const;
  const read = { deployless: true, allowFailure: true } as const;
  const erc20 = tokens.filter(({ address }) => address !== 'native');
  const [block, states, revoked, allowed, credited] = await Promise.all([
    getBlock(client, { blockTag: 'latest' }),
    multicall(client, {
      ...read,
      contracts: payments.map(({ id }) => ({ ...contract, functionName: 'stateOf' as const, args: [id] as const })),
    }),
    multicall(client, {
      ...read,
      contracts: consents.map(({ id }) => ({
        ...contract,
        functionName: 'consentState' as const,
        args: [id] as const,
      })),
    }),
    multicall(client, {
      ...read,
      contracts: erc20.map(({ address }) => ({
        address: asAddress(address),
        abi: erc20Abi,
        functionName: 'allowance' as const,
        args: [wallet, escrow] as const,
      })),
    }),
    multicall(client, {
      ...read,
      contracts: tokens.map(({ address }) => ({
        ...contract,
        functionName: 'creditOf' as const,
        args: [wallet, address === 'native' ? zeroAddress : asAddress(address)] as const,
      })),
    }),
  ]);
  return {
    chainId,
    payments: new Map(
      payments.flatMap(({ key }, index) => {
        const state = stateOf(states[index]?.result);
        return state ? [[key, state] as const] : [];
      }),
    ),
    consents: new Map(
      consents.flatMap(({ key }, index) => {
        const result = revoked[index]?.result;
        return result ? [[key, result[0]] as const] : [];
      }),
    ),
    allowances: erc20.flatMap(({ key }, index) => amountOf(chainId, key, allowed[index]?.result)),
    credits: tokens.flatMap(({ key }, index) => amountOf(chainId, key, credited[index]?.result)),
    blockTime: Number(block.timestamp),
  };
}

function amountOf(chainId: number, tokenKey: string, amount: bigint | undefined): HeldAllowance[] {
  return amount ? [{ key: holdingKey(chainId, tokenKey), chainId, tokenKey, amount }] : [];
}

function stateOf(result: readonly [number, bigint, number, number] | undefined): EscrowState | null {
  if (!result) return null;
  const [code, left, capturedAt, disputedAt] = result;
  const status = escrowStatuses[code];
  return status === undefined ? null : { status, left, capturedAt, disputedAt };
}

function asAddress(text: string): Address {
  return `0x${text.slice(2)}`;
}
