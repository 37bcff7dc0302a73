/**
 * Determines the type of a raster image by its first bytes, regardless of its Content-Type. Returns null for anything else, including SVG,
 * which is a document that may run scripts and load other resources.
 */
export function rasterType(bytes: Buffer): string | null {
  const starts = (hex: string, at = 0) => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex;
  if (starts('89504e470d0a1a0a')) return 'image/png';
  if (starts('ffd8ff')) return 'image/jpeg';
  if (starts('474946383761') || starts('474946383961')) return 'image/gif';
  if (starts('52494646') && starts('57454250', 8)) return 'image/webp';
  // ISO base media with the box `ftyp` and the brand AVIF, as a still image or a sequence.
  if (starts('66747970', 4) && (starts('61766966', 8) || starts('61766973', 8))) return 'image/avif';
  return null;
}
