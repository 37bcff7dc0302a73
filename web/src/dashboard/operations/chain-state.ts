/** The most severe of the states that apply to a chain. */
export function chainState(chain: {
  nodeBlock: string | null;
  headBlock: string | null;
  lagSeconds: number | null;
  paused: boolean;
  haltReason: string | null;
}): 'HALTED' | 'NODE_DOWN' | 'UNSEEN' | 'PAUSED' | 'BEHIND' | 'CURRENT' {
  if (chain.haltReason !== null) return 'HALTED';
  if (chain.nodeBlock === null) return 'NODE_DOWN';
  if (chain.headBlock === null) return 'UNSEEN';
  if (chain.paused) return 'PAUSED';
  return (chain.lagSeconds ?? 0) > BEHIND_SECONDS ? 'BEHIND' : 'CURRENT';
}

const BEHIND_SECONDS = 120;
