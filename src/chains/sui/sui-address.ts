/** Sui addresses as people give them. */

/** The full form, 64 lower-case digits after 0x, or null. Short forms such as 0x2 are filled up; the 0x is demanded. */
export function parseSuiAddress(text: string): string | null {
  const digits = /^0x([0-9a-fA-F]{1,64})$/.exec(text)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase().padStart(64, '0')}`;
}
