/** A link's code as files of their own, black on white whatever the page's theme is, and the link as a line for a website. */
import { type CodeDrawing, drawCode, type Robustness } from '../../ui/code/draw-code.ts';

/** It may come onto paper. */
export const LINK_ROBUSTNESS: Robustness = 'M';

/** Of a square in the picture. */
const PNG_SQUARE = 16;

export function linkCode(url: string): CodeDrawing {
  return drawCode(url, LINK_ROBUSTNESS);
}

export function codeSvg({ size, path }: CodeDrawing): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`;
}

/** Null where the browser draws none. */
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

/** What a merchant puts into a page of theirs: a plain link, nothing that runs. */
export function linkSnippet(name: string, url: string): string {
  const words = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<a href="${url}">${words}</a>`;
}
