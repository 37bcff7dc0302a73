import { type Address, getCreate2Address, type Hex } from 'viem';
import { depositBoxCodeHash } from './box-code-hash.ts';

/**
 * Returns the deposit address of the terms with this id: CREATE2 by the escrow, with the id as salt. It is computed locally,
 * because a dishonest node could redirect the payer's money.
 */
export function depositAddress({ escrow, id }: { escrow: Address; id: Hex }): Address {
  return getCreate2Address({ from: escrow, salt: id, bytecodeHash: depositBoxCodeHash });
}
