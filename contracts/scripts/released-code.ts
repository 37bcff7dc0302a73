import { type Hex, keccak256 } from 'viem';
import { batchCreationCode, batchRuntimeCodeHash } from '../../src/escrow/batch/batch-bytecode.ts';
import { escrowCreationCode, escrowRuntimeCodeHash } from '../../src/escrow/escrow-bytecode.ts';

/** The escrow's runtime code as it is released. */
export function releasedEscrowCode(): Hex {
  return runtimeCode(escrowCreationCode, escrowRuntimeCodeHash);
}

/** The batch contract's runtime code as it is released. */
export function releasedBatchCode(): Hex {
  return runtimeCode(batchCreationCode, batchRuntimeCodeHash);
}

/** The end of the creation code, known by its hash: a contract without constructor and immutables deploys it as it is. */
function runtimeCode(creationCode: Hex, hash: Hex): Hex {
  for (let at = 2; at < creationCode.length; at += 2) {
    const code: Hex = `0x${creationCode.slice(at)}`;
    if (keccak256(code) === hash) return code;
  }
  throw new Error('The creation code does not end with the runtime code of the released hash.');
}
