/** What `build.ts` writes: the released contracts, and tokens for local chains. */
export const releasedFiles = {
  escrowAbi: 'src/escrow/escrow-abi.ts',
  escrow: 'src/escrow/escrow-bytecode.ts',
  box: 'src/escrow/deposits/box-code-hash.ts',
  batchAbi: 'src/escrow/batch/batch-abi.ts',
  batch: 'src/escrow/batch/batch-bytecode.ts',
  tokens: 'src/local/test-tokens.ts',
};
