import { type Hex, keccak256 } from 'viem';
import { escrowCreationCode, escrowRuntimeCodeHash } from '../../src/escrow/escrow-bytecode.ts';

/** The escrow's runtime code as it is released: the end of the creation code, known by its hash. */
export function releasedEscrowCode(): Hex {
  for (let at = 2; at < escrowCreationCode.length; at += 2) {
    const code: Hex = `0x${escrowCreationCode.slice(at)}`;
    if (keccak256(code) === escrowRuntimeCodeHash) return code;
  }
  throw new Error('The escrow’s creation code does not end with the runtime code of the released hash');
}
