/** The command that sums what each app is billed for x402 payments to other servers. */
import { invalid, notFound } from '../../errors.ts';
import { type AppFees, sumFacilitated } from '../../payments/reports/read-facilitated.ts';
import { isId } from '../../platform/identifier.ts';
import type { Operation, Row } from '../operations-world.ts';
import { needed } from '../read-option.ts';

export const feeOperations: Record<string, Operation> = {
  'x402 fees': {
    usage: '--month <yyyy-mm> [--app <id>]',
    options: ['month', 'app'],
    hint: 'merchant list',
    async run({ database }, { values }) {
      const period = monthOf(needed(values, 'month'));
      const { app: appId = null } = values;
      if (appId !== null && !isId(appId)) throw invalid([{ param: '--app', message: 'must be a UUID' }]);
      if (appId !== null && !(await database.app.findUnique({ where: { id: appId } }))) throw notFound('app');
      return (await sumFacilitated({ database }, { appId, period })).map(rowOf);
    },
  },
};

function rowOf(fees: AppFees): Row {
  return {
    merchant: fees.merchant,
    app: fees.app,
    appId: fees.appId,
    settled: fees.settledCount,
    failed: fees.failedCount,
    pending: fees.pendingCount,
    valueUsd: fees.valueUsd.toFixed(),
    feeUsd: fees.feeUsd.toFixed(),
    gasUsd: fees.gasUsd.toFixed(),
    gasUnpriced: fees.gasUnpricedCount,
  };
}

/** Parses a month in UTC, of the years 2000 to 2099. */
function monthOf(text: string): { from: Date; to: Date } {
  const [, year, month] = /^(20\d{2})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) {
    throw invalid([{ param: '--month', message: 'must be a month of the years 2000 to 2099, such as 2027-01' }]);
  }
  return { from: new Date(`${year}-${month}-01T00:00:00Z`), to: new Date(Date.UTC(Number(year), Number(month))) };
}
