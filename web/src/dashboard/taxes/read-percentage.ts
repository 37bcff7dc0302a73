/**
 * A percentage as a person writes it: plain digits, with a comma or a point. A percentage is no money, so it is a number.
 * Null for anything else, such as `1e1` or `0x10`; whether it is too high, or has too many decimals, the API says.
 */
export function readPercentage(text: string): number | null {
  const written = text.trim();
  return /^\d{1,9}(?:[.,]\d{1,9})?$/.test(written) ? Number(written.replace(',', '.')) : null;
}
