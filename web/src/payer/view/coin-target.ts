/** The address to which a wallet claims its coin, as the payer typed it. The contract itself refuses the escrow and the zero address. */
import { type Address, isAddress } from 'viem';
import { type EvmSink, findEvmSink, type SinkChain } from '../../../../src/escrow/evm-sink.ts';

export type CoinTarget = { address: Address; fault: null } | { address: null; fault: 'MALFORMED' | EvmSink };

export function readCoinTarget(chain: SinkChain, typed: string): CoinTarget {
  const address = typed.trim();
  if (!isAddress(address)) return { address: null, fault: 'MALFORMED' };
  const sink = findEvmSink([chain], address);
  return sink === null ? { address, fault: null } : { address: null, fault: sink };
}
