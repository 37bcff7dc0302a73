/** The reports that can be downloaded, with their formats. */
import { instantsOf, type ReportPeriod } from './report-period.ts';

export const reportNames = [
  'payments',
  'payouts',
  'fees',
  'balances',
  'reconciliation',
  'facilitated',
  'ledger',
] as const;
export type ReportName = (typeof reportNames)[number];

const tables = ['csv', 'json'] as const;
const journals = ['hledger', 'beancount'] as const;
export type ReportFormat = (typeof tables)[number] | (typeof journals)[number];

export function formatsOf(name: ReportName): readonly ReportFormat[] {
  return name === 'ledger' ? journals : tables;
}

const extensions = { csv: 'csv', json: 'json', hledger: 'journal', beancount: 'beancount' } as const;

export type ReportChoice = { name: ReportName; format: ReportFormat; period: ReportPeriod; appId: string };

export function reportPath({ name, format, period, appId }: ReportChoice): string {
  const query = new URLSearchParams({ ...instantsOf(period), format, appId });
  return `/reports/${name}?${query}`;
}

export function reportFile({ name, format, period }: ReportChoice): string {
  return `${name}-${period.first}-${period.last}.${extensions[format]}`;
}
