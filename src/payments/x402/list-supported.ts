import { networkOf, X402_VERSION, x402Schemes } from './x402-types.ts';
import { type X402World, x402Ways } from './x402-world.ts';

export type SupportedKind = { x402Version: number; scheme: string; network: string };
export type Supported = { kinds: SupportedKind[]; extensions: string[]; signers: Record<string, string[]> };

/** The schemes and networks of this facilitator, and the addresses that send settlements, the operator's last. */
export function listSupported(world: Pick<X402World, 'registry' | 'operator' | 'senderAddresses'>): Supported {
  const networks = [...new Set(x402Ways(world).map(({ chain }) => networkOf(chain.chainId)))];
  return {
    kinds: networks.flatMap((network) => x402Schemes.map((scheme) => ({ x402Version: X402_VERSION, scheme, network }))),
    extensions: [],
    signers: { 'eip155:*': [...world.senderAddresses, world.operator.address] },
  };
}
