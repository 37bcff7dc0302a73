import { encode } from 'uqr';

/** The drawing uses one unit per module. */
export type CodeDrawing = { size: number; path: string };

/**
 * The error correction level. L restores 7 % and needs the fewest modules, which suits screens; M restores 15 %, for example after a fold
 * in paper.
 */
export type Robustness = 'L' | 'M';

/** The width of the quiet zone around the code, which scanners require. */
const BORDER = 4;

/** Draws a text as a QR code: its dark modules as one path. */
export function drawCode(text: string, ecc: Robustness): CodeDrawing {
  const { size, data } = encode(text, { ecc, border: BORDER });
  return {
    size,
    path: data
      .map((row, y) =>
        runsOf(row)
          .map((run) => printRun(run, y))
          .join(''),
      )
      .join(''),
  };
}

type Run = { x: number; width: number };

function runsOf(row: readonly boolean[]): Run[] {
  const runs: Run[] = [];
  row.forEach((isDark, x) => {
    const last = runs.at(-1);
    if (isDark && last && last.x + last.width === x) last.width += 1;
    else if (isDark) runs.push({ x, width: 1 });
  });
  return runs;
}

function printRun({ x, width }: Run, y: number): string {
  return `M${x} ${y}h${width}v1h-${width}z`;
}
