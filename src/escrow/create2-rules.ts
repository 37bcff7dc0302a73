/**
 * Chains that run Solidity contracts and derive CREATE2 addresses by rules of their own. The escrow would have another address there, and
 * so would every deposit address: money sent to the address that Ethereum's rules give would be lost. They are identified by id, because a
 * node's responses do not distinguish them.
 */
const otherRules: ReadonlyMap<number, string> = new Map([
  // ZK Stack: the address is derived from a prefix of its own and the hash of bytecode of another machine.
  [232, 'Lens'],
  [260, 'ZKsync in-memory node'],
  [270, 'ZKsync local node'],
  [272, 'ZKsync local custom chain'],
  [282, 'Cronos zkEVM Testnet'],
  [300, 'ZKsync Sepolia Testnet'],
  [324, 'ZKsync Era'],
  [388, 'Cronos zkEVM'],
  [626, 'BattleChain'],
  [627, 'BattleChain Testnet'],
  [2_741, 'Abstract'],
  [11_124, 'Abstract Testnet'],
  [37_111, 'Lens Testnet'],
  [50_104, 'Sophon'],
  [61_166, 'Treasure'],
  [543_210, 'Zero Network'],
  [810_180, 'zkLink Nova'],
  [810_181, 'zkLink Nova Sepolia Testnet'],
  [978_658, 'Treasure Topaz Testnet'],
  [1_612_127, 'PlayFi Albireo Testnet'],
  [531_050_104, 'Sophon Testnet'],
  // TRON (TIP-26): the preimage begins with 0x41 instead of 0xff.
  [728_126_428, 'TRON'],
  [2_494_104_990, 'TRON Shasta'],
  [3_448_148_188, 'TRON Nile'],
]);

/** Returns why the escrow cannot be deployed on a chain, in a sentence that names the chain. Undefined if no reason is known. */
export function create2Fault(chainId: number): string | undefined {
  const name = otherRules.get(chainId);
  if (name === undefined) return undefined;
  return `Chain ${chainId} (${name}) derives CREATE2 addresses by rules of its own, so that the escrow and its deposit addresses would differ there.`;
}
