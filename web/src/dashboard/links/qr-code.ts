/** A QR code as data: which squares are dark, and the same as a drawing. */
import { encode } from 'uqr';

export type QrCode = { size: number; isDark: (x: number, y: number) => boolean };

/** Light squares around it, which readers need. */
const BORDER = 2;

/** Up to 15 % of it may be hidden, as by a fold in paper. */
export function qrCode(text: string): QrCode {
  const { size, data } = encode(text, { ecc: 'M', border: BORDER });
  return { size, isDark: (x, y) => data[y]?.[x] === true };
}

/** The dark squares as one path, a unit each. */
export function qrPath({ size, isDark }: QrCode): string {
  const rows = Array.from({ length: size }, (_, y) => {
    const runs: string[] = [];
    for (let x = 0; x < size; x += 1) {
      if (!isDark(x, y)) continue;
      let end = x;
      while (isDark(end + 1, y)) end += 1;
      runs.push(`M${x} ${y}h${end - x + 1}v1h-${end - x + 1}z`);
      x = end;
    }
    return runs.join('');
  });
  return rows.join('');
}

/** A file of its own: black on white whatever the page's theme is. */
export function qrSvg(code: QrCode): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${code.size} ${code.size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${code.size}v${code.size}H0z"/><path d="${qrPath(code)}"/></svg>\n`;
}

/** What a merchant puts into a page of theirs: a plain link, nothing that runs. */
export function linkSnippet(name: string, url: string): string {
  const words = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<a href="${url}">${words}</a>`;
}
