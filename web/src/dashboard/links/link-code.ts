/** The QR code of a link as files, always black on white, and the link as HTML for a website. */
import { type CodeDrawing, drawCode, type Robustness } from '../../ui/code/draw-code.ts';

/** The code may be printed. */
export const LINK_ROBUSTNESS: Robustness = 'M';

/** The size of a module in pixels. */
const PNG_SQUARE = 16;

export function linkCode(url: string): CodeDrawing {
  return drawCode(url, LINK_ROBUSTNESS);
}

export function codeSvg({ size, path }: CodeDrawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`;
}

/** Null if the browser cannot draw it. */
export async function codePng({ size, path }: CodeDrawing): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = size * PNG_SQUARE;
  canvas.height = canvas.width;
  const context = canvas.getContext('2d');
  if (!context) return null;
  context.scale(PNG_SQUARE, PNG_SQUARE);
  context.fillStyle = '#fff';
  context.fillRect(0, 0, size, size);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  return await new Promise((done) => canvas.toBlob(done, 'image/png'));
}

/** HTML for the merchant's own page: a plain link without a script. */
export function linkSnippet(name: string, url: string): string {
  const words = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<a href="${url}">${words}</a>`;
}
