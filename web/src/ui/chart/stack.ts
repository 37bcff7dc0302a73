/** The geometry of a chart of stacked columns. The input is decimal strings; only heights in pixels become numbers. */
import { Decimal as DecimalOfTwenty } from 'decimal.js';

/** Sums are exact for any amount. The library's default precision of 20 digits would round them. */
const Decimal = DecimalOfTwenty.clone({ precision: 80 });
type Decimal = DecimalOfTwenty;

export type StackCell = { column: string; layer: string; amount: string };
export type StackPart = { layer: string; amount: string; from: number; height: number };
export type StackColumn = { column: string; total: string; parts: StackPart[] };
export type Stack = { columns: StackColumn[]; ticks: { amount: string; at: number }[]; top: string };

/** The smallest number of lines that shows the scale. */
const TICKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** `columns` and `layers` keep their order. The heights range from 0 to `height`, measured from the bottom. */
export function stackColumns(
  cells: readonly StackCell[],
  { columns, layers, height }: { columns: readonly string[]; layers: readonly string[]; height: number },
): Stack {
  const sums = new Map<string, Decimal>();
  for (const { column, layer, amount } of cells) {
    const key = `${column} ${layer}`;
    sums.set(key, (sums.get(key) ?? new Decimal(0)).plus(amount));
  }
  const sumOf = (column: string, layer: string) => sums.get(`${column} ${layer}`) ?? new Decimal(0);
  const totals = columns.map((column) => layers.reduce((sum, layer) => sum.plus(sumOf(column, layer)), new Decimal(0)));
  const highest = totals.reduce((high, total) => Decimal.max(high, total), new Decimal(0));
  const step = roundStep(highest.div(TICKS));
  const steps = highest.isZero() ? 1 : highest.div(step).ceil().toNumber();
  const top = step.times(steps);
  const pixels = (amount: Decimal) => amount.div(top).times(height).toNumber();
  return {
    top: top.toFixed(),
    ticks: Array.from({ length: steps + 1 }, (_, index) => ({
      amount: step.times(index).toFixed(),
      at: pixels(step.times(index)),
    })),
    columns: columns.map((column, index) => {
      let from = 0;
      const parts = layers.flatMap((layer) => {
        const amount = sumOf(column, layer);
        if (amount.isZero()) return [];
        const part = { layer, amount: amount.toFixed(), from, height: pixels(amount) };
        from += part.height;
        return part;
      });
      return { column, total: (totals[index] ?? new Decimal(0)).toFixed(), parts };
    }),
  };
}

/** Rounds up to the next 1, 2, 2.5, 5 or 10 times a power of ten. */
function roundStep(least: Decimal): Decimal {
  if (least.isZero()) return new Decimal(1);
  const power = new Decimal(10).pow(least.log(10).floor());
  const factor = STEPS.find((one) => power.times(one).gte(least)) ?? 10;
  return power.times(factor);
}
