/** Written by contracts/scripts/build.ts: change the contract and run it again. */

/** keccak256 of the creation code of `DepositBox`, from which deposit addresses are derived. */
export const depositBoxCodeHash = '0x9c0f531ea517026acf46c0cba54e3d4381636b28694010425646896354a1f810' as const;
