/**
 * The effect of a call on a local chain, which determines what the journal records:
 *
 * - `read`: no effect.
 * - `send`: adds a transaction to the pool, for which blocks are mined.
 * - `mine`: mines blocks, which the journal records.
 * - `set`: changes the state without a block, and is replayed as is.
 * - `pass`: affects only the next block, or nothing that is persisted.
 * - `automine`: handled here, because the node itself never mines.
 * - `refused`: would let the node mine by itself.
 * - `other`: cannot be replayed, so a new snapshot is taken after it.
 */
export type WriteKind = 'read' | 'send' | 'mine' | 'set' | 'pass' | 'automine' | 'refused' | 'other';

const sends = new Set(['eth_sendRawTransaction', 'eth_sendTransaction']);
const mines = new Set(['evm_mine', 'evm_mine_detailed', 'anvil_mine', 'hardhat_mine']);
const refused = new Set([
  'evm_setIntervalMining',
  'anvil_setIntervalMining',
  'eth_sendRawTransactionSync',
  'eth_sendTransactionSync',
]);
const passing = new Set([
  ...['evm_increaseTime', 'anvil_increaseTime', 'evm_setTime', 'anvil_setTime', 'evm_snapshot', 'anvil_snapshot'],
  ...['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'],
  ...['anvil_setBlockTimestampInterval', 'evm_setBlockTimestampInterval'],
  ...['anvil_removeBlockTimestampInterval', 'evm_removeBlockTimestampInterval'],
  ...['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'],
]);
const own = /^(anvil|evm|hardhat|tenderly)_/;
const harmless = /_((get|drop|remove|impersonate|stopImpersonating|autoImpersonate)\w*|metadata|nodeInfo|dumpState)$/;
const settingState = /_(set|add|deal)\w+$/;

export function writeKindOf(method: string): WriteKind {
  if (sends.has(method)) return 'send';
  if (refused.has(method)) return 'refused';
  if (!own.test(method)) return 'read';
  if (mines.has(method)) return 'mine';
  if (/_setAutomine$/.test(method)) return 'automine';
  if (passing.has(method) || harmless.test(method)) return 'pass';
  return settingState.test(method) ? 'set' : 'other';
}
