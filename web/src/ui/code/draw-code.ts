import { encode } from 'uqr';

/** A unit a square. */
export type CodeDrawing = { size: number; path: string };

/** How much of it may be hidden: 7 % of it (L), and no more squares than a screen needs; 15 % (M), as by a fold in paper. */
export type Robustness = 'L' | 'M';

/** The quiet zone around it, which readers require. */
const BORDER = 4;

/** A text as a code to scan: its dark squares as one path. */
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
