import { type Address, domainSeparator, type Hex, hexToString, isAddress, parseAbi } from 'viem';
import { type Chain, NATIVE, type Token } from '../chains/chain.ts';
import { isNodeFault } from '../chains/evm/classify-answer.ts';
import type { EvmClient } from '../chains/evm/nodes.ts';
import { invalid } from '../errors.ts';
import type { Answer, OperationsWorld, Row } from './operations-world.ts';

const tokenAbi = parseAbi([
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function nonces(address) view returns (uint256)',
  'function RECEIVE_WITH_AUTHORIZATION_TYPEHASH() view returns (bytes32)',
]);
/** Older tokens return their symbol as bytes32. */
const oldAbi = parseAbi(['function symbol() view returns (bytes32)']);

/**
 * Compares the registry's data on a chain's tokens with the contracts: symbol, decimals, and the domain for which payers sign permits and
 * ERC-3009 authorizations. Bridged tokens may use another symbol, but wrong decimals or a wrong domain lose payments. Writes nothing.
 * Throws CHAIN_UNAVAILABLE.
 */
export async function checkTokens(world: OperationsWorld, { chain }: { chain: Chain }): Promise<Answer> {
  if (chain.family !== 'EVM') throw invalid([{ param: 'chainId', message: 'must be an EVM chain' }]);
  const tokens = chain.tokens.filter((token) => token.address !== NATIVE);
  const rows = await world.nodes.asking(chain.chainId, async (client) => {
    // Check that the node responds, so that an unreachable node is not mistaken for contracts without these functions.
    await client.getBlockNumber({ cacheTime: 0 });
    return await Promise.all(tokens.map((token) => checkToken(client, chain, token)));
  });
  const wrong = rows.filter((row) => row.verdict !== 'OK').map((row) => row.token);
  const fault = `The registry has wrong entries for ${wrong.join(', ')}. Correct them in CHAINS_FILE, which takes precedence over the built-in entries.`;
  return { sections: { tokens: rows }, fault: wrong.length === 0 ? undefined : fault };
}

async function checkToken(client: EvmClient, chain: Chain, token: Token): Promise<Row> {
  const { address } = token;
  if (!isAddress(address, { strict: false })) return { token: token.key, verdict: 'not an address' };
  const read = <Answer>(answer: Promise<Answer>): Promise<Answer | null> => answer.catch(unlessRefused);
  const contract = { address, abi: tokenAbi } as const;
  const [code, symbol, decimals, separator, nonce, receive] = await Promise.all([
    client.getCode({ address }),
    readSymbol(client, address),
    read(client.readContract({ ...contract, functionName: 'decimals' })),
    read(client.readContract({ ...contract, functionName: 'DOMAIN_SEPARATOR' })),
    read(client.readContract({ ...contract, functionName: 'nonces', args: [address] })),
    read(client.readContract({ ...contract, functionName: 'RECEIVE_WITH_AUTHORIZATION_TYPEHASH' })),
  ]);
  const faults = [
    ...(code === undefined || code === '0x' ? ['there is no contract at the address'] : []),
    ...(decimals === token.decimals ? [] : [`decimals are ${decimals}`]),
    ...domainFaults({ chain, token, address, separator, what: 'permit', isThere: nonce !== null }),
    ...domainFaults({ chain, token, address, separator, what: 'receive', isThere: receive !== null }),
  ];
  return {
    token: token.key,
    verdict: faults.length === 0 ? 'OK' : faults.join('; '),
    symbol,
    decimals,
    permit: nonce !== null && separator !== null ? (token.permit ? 'used' : 'supported, not used') : null,
    receive: receive !== null ? (token.receive ? 'used' : 'supported, not used') : null,
  };
}

async function readSymbol(client: EvmClient, address: Address): Promise<string | null> {
  try {
    return await client.readContract({ address, abi: tokenAbi, functionName: 'symbol' });
  } catch (error) {
    unlessRefused(error);
    return await client
      .readContract({ address, abi: oldAbi, functionName: 'symbol' })
      .then((text) => hexToString(text, { size: 32 }).replaceAll('\u0000', ''))
      .catch(unlessRefused);
  }
}

/** Returns null if the contract rejected the call. Rethrows an error of the node. */
function unlessRefused(error: unknown): null {
  if (isNodeFault(error)) throw error;
  return null;
}

function domainFaults(asked: {
  chain: Chain;
  token: Token;
  address: Address;
  separator: Hex | null;
  what: 'permit' | 'receive';
  isThere: boolean;
}): string[] {
  const domain = asked.token[asked.what];
  if (domain === null) return [];
  if (!asked.isThere) return [`has no ${asked.what}`];
  const { chainId } = asked.chain;
  const expected = domainSeparator({ domain: { ...domain, chainId, verifyingContract: asked.address } });
  return expected === asked.separator
    ? []
    : [`signs ${asked.what} for a domain other than ${domain.name} ${domain.version}`];
}
