/**
 * Parses a percentage: plain digits without leading zeros, with a comma or a point. A percentage is not an amount of money, so it is a
 * number. Null for anything else, such as `1e1` or `0x10`. The API checks whether it is too high or has too many decimals.
 */
export function readPercentage(text: string): number | null {
  const written = text.trim();
  return /^(?:0|[1-9]\d{0,8})(?:[.,]\d{1,9})?$/.test(written) ? Number(written.replace(',', '.')) : null;
}
