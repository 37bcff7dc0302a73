import type { ChainSigns } from './vital-signs.ts';

/** The indexer waits at most half of this between two attempts, even for a chain that fails. */
const OBSERVED_LIMIT_SECONDS = 60;
/** Maximum lag of confirmed blocks, in chain time. */
const LAG_LIMIT_SECONDS = 120;
/** No supported public chain stalls for this long, so an older head means that its node has stalled. */
const HEAD_LIMIT_SECONDS = 900;

/** Returns the reasons why the reported state of a chain may be out of date. Empty when it is current. */
export function chainFaults(chain: ChainSigns): string[] {
  const { observed } = chain;
  const name = `Chain ${chain.chainId} (${chain.name})`;
  if (!observed) return [`${name} has not been observed yet.`];
  if (observed.haltReason !== null) {
    const repair = `Once its node is reliable, run: npm run ops -- chain resync ${chain.chainId}`;
    return [`${name} is halted: ${observed.haltReason} ${repair}`];
  }
  const faults: string[] = [];
  if (observed.observedAgeSeconds > OBSERVED_LIMIT_SECONDS) {
    faults.push(`${name} was last observed ${Math.round(observed.observedAgeSeconds)} s ago.`);
  }
  const behind = Number(observed.lagBlocks) - chain.confirmations + 1;
  const behindSeconds = behind > 0 ? (observed.lagSeconds * behind) / Number(observed.lagBlocks) : 0;
  if (behindSeconds > LAG_LIMIT_SECONDS) {
    faults.push(`${name} is ${behind} blocks (${Math.round(behindSeconds)} s) behind the newest confirmed block.`);
  }
  if (!chain.local && observed.headAgeSeconds > HEAD_LIMIT_SECONDS) {
    faults.push(`${name} has had no new block for ${observed.headAgeSeconds} s: its node does not advance.`);
  }
  return faults;
}
