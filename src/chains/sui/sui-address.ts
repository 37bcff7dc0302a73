/** Sui addresses as people enter them. */

/** Returns the full form, 0x and 64 lower-case digits, or null. Short forms such as 0x2 are padded. The 0x is required. */
export function parseSuiAddress(text: string): string | null {
  const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(text)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase().padStart(64, '0')}`;
}
